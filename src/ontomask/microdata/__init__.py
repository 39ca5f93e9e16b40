"""The table: columns with roles, distinct tuples with counts, plans and the text that is released."""

from __future__ import annotations

from ontomask.microdata.files import read_table, write_table
from ontomask.microdata.frequency import FrequencyTable
from ontomask.microdata.joint import JointCount
from ontomask.microdata.plan import TuplePlan
from ontomask.microdata.planfile import load_plan, save_plan
from ontomask.microdata.recordplan import RecordPlan
from ontomask.microdata.scanning import scan
from ontomask.microdata.table import Microdata

__all__ = [
    "FrequencyTable",
    "JointCount",
    "Microdata",
    "RecordPlan",
    "TuplePlan",
    "load_plan",
    "read_table",
    "save_plan",
    "scan",
    "write_table",
]
