from . import accounting as accounting
from . import attack as attack
from . import audit as audit
from . import curator as curator
from . import graph as graph
from . import local as local
from . import mechanisms as mechanisms
from . import migration as migration
from . import models as models
from . import noise as noise

__version__: str
