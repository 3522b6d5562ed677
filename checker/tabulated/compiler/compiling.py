"""The compilation of a loop: `compiled`."""

from llvmlite import binding

from schedcheck.checker.tabulated.compiler.functions import ENTRY, translated
from schedcheck.checker.tabulated.loops.blocks import Kinds
from schedcheck.checker.tabulated.loops.loading import machine
from schedcheck.checker.tabulated.loops.objects import Code
from schedcheck.checker.tabulated.loops.sources import Source

EFFORT = 1
"""The level of optimisation, of LLVM's 0 to 3. The higher ones take up to five times as long, for loops as fast."""


def compiled(loop: Source, kinds: Kinds) -> Code:
    """Compile a loop for arguments of these kinds; return its object code. Raises Untranslatable."""
    text, target = translated(loop, kinds), machine()
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    module.verify()
    tuning = binding.create_pipeline_tuning_options(EFFORT)
    # Most arrays are a few words long.
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = False
    builder = binding.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(module, builder)
    return Code(ENTRY, target.emit_object(module))
