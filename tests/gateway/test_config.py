"""Every option is checked, and a wrong one is named."""

from __future__ import annotations

import pytest

from gateway import __version__, config
from gateway.config import OPTIONS, Config, read_config
from gateway.errors import ConfigError


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for cpus, workers in [(1, 1), (3, 3), (64, 16)]:
        monkeypatch.setattr(config, "usable_cpus", lambda cpus=cpus: cpus)
        assert read_config([], {}) == Config(workers=workers)


def test_every_option_can_be_given_both_ways_and_the_command_line_wins() -> None:
    values = {
        "--host": ("::1", "::1"),
        "--port": ("0", 0),
        "--workers": ("3", 3),
        "--max-line-bytes": ("4096", 4096),
        "--max-pending": ("5", 5),
        "--service-timeout": ("0.5", 0.5),
        "--max-params-bytes": ("77", 77),
        "--max-connections": ("9", 9),
        "--state": ("state.db", "state.db"),
        "--auth-token-file": ("token", "token"),
        "--tls-cert": ("cert.pem", "cert.pem"),
        "--tls-key": ("key.pem", "key.pem"),
        "--tf-rate": ("50", 50.0),
        "--websocket-port": ("9090", 9090),
        "--websocket-origins": ("https://a.b,null", ("https://a.b", "null")),
        "--metrics-port": ("9100", 9100),
        "--metrics-host": ("::1", "::1"),
        "--log-level": ("debug", "debug"),
        "--log-format": ("json", "json"),
    }
    assert values.keys() == {option.name for option in OPTIONS}
    expected = Config(**{o.field: values[o.name][1] for o in OPTIONS})  # type: ignore[arg-type]
    arguments = [word for name, (text, _) in values.items() for word in (name, text)]
    environ = {option.variable: values[option.name][0] for option in OPTIONS}
    nonsense = {option.variable: "nonsense" for option in OPTIONS}
    assert read_config(arguments, {}) == expected
    assert read_config([], environ) == expected
    assert read_config(arguments, nonsense) == expected


def test_an_empty_variable_is_not_set_and_others_are_not_ours() -> None:
    assert read_config([], {"GATEWAY_PORT": "", "GATEWAY_PROT": "1", "PORT": "1"}).port == 9095


@pytest.mark.parametrize(
    ("arguments", "environ", "sentence"),
    [
        (["--port", "70000"], {}, "--port: 70000 is not in 0..65535"),
        (["--port=-1"], {}, "--port: -1 is not in 0..65535"),
        ([], {"GATEWAY_PORT": "x"}, "GATEWAY_PORT: 'x' is not a whole number"),
        (["--port", "1e3"], {}, "--port: '1e3' is not a whole number"),
        (["--port", "٣"], {}, "--port: '٣' is not a whole number"),
        (["--port", "9" * 5000], {}, "is not a whole number"),
        (["--port", ""], {}, "--port: '' is not a whole number"),
        (["--workers", "0"], {}, "--workers: 0 is not in 1..256"),
        (["--max-line-bytes", "0"], {}, "--max-line-bytes: 0 is not in 4096..268435456"),
        (["--max-pending", "0"], {}, "--max-pending: 0 is not in"),
        (["--max-params-bytes", "-5"], {}, "--max-params-bytes: -5 is not in"),
        (["--service-timeout", "0"], {}, "--service-timeout: 0 is not in 0.001..86400 seconds"),
        (["--service-timeout", "nan"], {}, "--service-timeout: nan is not in"),
        (["--service-timeout", "soon"], {}, "'soon' is not a number of seconds"),
        (["--tf-rate", "9"], {}, "--tf-rate: 9 is not in 10..100 hertz"),
        (["--log-level", "loud"], {}, "'loud' is not one of debug, info, warning, error"),
        ([], {"GATEWAY_LOG_FORMAT": "xml"}, "GATEWAY_LOG_FORMAT: 'xml' is not one of text, json"),
        (["--host", ""], {}, "--host: '' is not a host name"),
        (["--host", "a b"], {}, "--host: 'a b' is not a host name"),
        (["--host", "a\nb"], {}, "not a host name"),
        (["--prot", "1"], {}, "--prot 1; did you mean '--port'?"),
        (["--por", "1"], {}, "--por"),
        (["--port"], {}, "--port"),
        (["extra"], {}, "extra"),
    ],
)
def test_a_wrong_option_is_named(
    arguments: list[str], environ: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(arguments, environ)
    assert sentence in str(caught.value)


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        read_config(["--version"], {})
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"robot-gateway {__version__}\n"
    with pytest.raises(SystemExit):
        read_config(["--help"], {})
    shown = capsys.readouterr().out
    assert all(option.name in shown and option.help.split()[0] in shown for option in OPTIONS)
