"""The descheduler: its evictor, its plugins, and the steps of its cycles, `Descheduling`.

`model.descheduling` holds its configuration. descheduler 0.36: sigs.k8s.io/descheduler.
"""

from schedcheck.model.controllers.descheduler.descheduling import (
    ANEW,
    NOWHERE,
    Cycle,
    Deschedule,
    Descheduling,
    EvictDescheduled,
    PassOver,
)

__all__ = ["ANEW", "NOWHERE", "Cycle", "Deschedule", "Descheduling", "EvictDescheduled", "PassOver"]
