"""Where everything of a search is: places in its array of numbers and in that of integers.

A search has no other state, so that it can be interrupted anywhere, and a kernel takes
two arrays instead of thirty.
"""

from __future__ import annotations

# In the numbers. The first ones are single numbers.
POSITION_ERROR = 0  # m
ORIENTATION_ERROR = 1  # rad
COST = 2  # the squared error of q, scaled
DAMPING = 3
CHECKPOINT = 4  # the cost that has to be bettered
BEST_COST = 5
LENGTH = 6  # the chain's size, m
POSITION_TOLERANCE = 7  # m
ORIENTATION_TOLERANCE = 8  # rad
TRAVEL = 9  # of a prismatic joint for one scaled unit of its, in sizes of the chain
GOAL = 10  # (12,) the pose wanted
TIP = 22  # (12,) where q puts the tool, and where a trial does
TRIAL_TIP = 34
WORK = 46  # (24,)
ERROR = 70  # (6,) of q, and of a trial
TRIAL_ERROR = 76
RIGHT = 82  # (6,)
Y = 88  # (6,)
SYSTEM = 94  # (36,)
TOOL = 130  # (12,) from the chain's last joint
POINT = 142  # (3,) of the tip link
QUATERNION = 145  # (4,) asked for
ASKED = 149  # (12,) the pose asked for; the goal is another one if that is out of reach
POSITION = 158  # (3,) its position
CENTER = 161  # (3,) of the chain's reach, and its bounds, m
NEAREST = 164
FARTHEST = 165
PROGRESS = 166  # the share of the checkpoint that the cost has to come down to
FIXED_PLACES = 167

# From there on: the first of so many places a joint.
Q = 0
BEST = 1
TRIAL = 2
STEPS = 3
LOWER = 4
UPPER = 5
FROM_LOWER = 6
FROM_UPPER = 7
UNIT = 8
SEED = 9
AXES = 10  # six a joint
TRIAL_AXES = 16
COLUMNS = 22
PLACES_PER_JOINT = 28

# In the integers; from PLACES on there is one for each joint.
FRESH = 0  # 1: q is where an attempt starts
ITERATIONS = 1
ATTEMPTS = 2  # that have failed
SINCE = 3  # iterations since the checkpoint
RANDOM_1 = 4
RANDOM_2 = 5
PARTS = 6  # 1 position, 2 orientation, 3 both
BASE = 7  # links
LINK = 8
REFUSED = 9  # proposals that were judged and did not fit
PLACES = 10
