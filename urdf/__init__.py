"""Read robot descriptions (URDF) strictly: text in, `Robot` or `UrdfError` out."""
