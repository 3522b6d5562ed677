"""Write the four dumps: `python -m tests.questions.write`."""

from pathlib import Path

from tests.questions import eks, gke, k3s, openshift

DUMPS = {"eks": eks, "gke": gke, "k3s": k3s, "openshift": openshift}
FOLDER = Path(__file__).parents[1] / "data" / "questions"


def texts() -> dict[Path, str]:
    """Return the text of each file of the dumps."""
    return {FOLDER / name / file: text for name, dump in DUMPS.items() for file, text in dump.files().items()}


if __name__ == "__main__":
    for path, text in texts().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
