"""The explorer over HTTP: pages and files, changed clusters, hostile names and addresses, tokens, limits"""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

import schedcheck
from schedcheck.api.explore import Explorer
from schedcheck.serving.desk import Desk
from schedcheck.serving.explorer import MOST_EDITED, Explored, exploring
from schedcheck.serving.gate import Gate
from tests.schedcheck.report.html.browser import Browser
from tests.schedcheck.serving.starting import running

EXAMPLES = Path(__file__).parents[3] / "examples"
LOST = str(EXAMPLES / "node-pools-zone-lost")
HOSTILE = "<script>alert(1)</script>"


@contextmanager
def pages(explorer: Explorer, token: str | None = None, seconds: float = 20.0) -> Iterator[TestClient]:
    """A client of the explorer, whose desk runs in a thread."""
    explored, desk = Explored(explorer), Desk(seconds)
    thread = threading.Thread(target=desk.run, daemon=True)
    thread.start()
    limits = lambda given: schedcheck.Limits(seconds=given)  # noqa: E731
    app = exploring(explored, desk, Gate(8, 100_000, 5.0), limits, token, ("testserver",))
    try:
        yield TestClient(app, follow_redirects=False)
    finally:
        desk.stop()
        thread.join()
        explored.close()


def test_every_link_of_the_first_pages_leads_somewhere() -> None:
    with pages(schedcheck.explore(LOST)) as client:
        first = client.get("/").headers["location"]
        waiting = [first, first.replace("start", "1.1.1")]
        seen = set(waiting)
        while waiting:
            address = waiting.pop(0)
            answer = client.get(address)
            assert answer.status_code == 200, address
            for link in re.findall(r'href="(/[^"]*)"', answer.text):
                whole = link.replace("&amp;", "&")
                if whole not in seen and len(seen) < 40:
                    seen.add(whole)
                    waiting.append(whole)
        assert any("explain" in each for each in seen) and any("edit" in each for each in seen)


def test_a_place_tells_steps_violations_and_who_takes_them() -> None:
    with pages(schedcheck.explore(LOST)) as client, schedcheck.explore(LOST) as explorer:
        digest = explorer.digest
        text = client.get(f"/{digest}/1.1").text
        assert "EvictForScaleDown(web-2)" in text and "violates never_below(app=web, 1)" in text
        assert "Violated here: never_below" in client.get(f"/{digest}/1.1.0").text
        told = client.get(f"/{digest}/1.1/place.json").text
        assert told == explorer.place((1, 1)).text()
        found = client.get(f"/{digest}/start?find=scale").text
        assert "ScaleDown(b-1)" in found and ">Fail(a-1)<" not in found


def test_a_check_gives_ways_to_walk() -> None:
    with pages(schedcheck.explore(LOST)) as client:
        digest = client.get("/").headers["location"].split("/")[1]
        text = client.post(f"/{digest}/check", data={"back": "1"}).text
        (end,) = set(re.findall(rf'href="/{digest}/([\d.]+)">Go to its end', text))
        assert "Violated here" in client.get(f"/{digest}/{end}").text
        assert f'href="/{digest}/1">Back' in text


def test_objects_are_changed_added_and_removed(tmp_path: Path) -> None:
    file = tmp_path / "nodes.yaml"
    file.write_text(
        "---\n".join(f"{{kind: Node, apiVersion: v1, metadata: {{name: {name}}}}}\n" for name in ("a-1", "b-1"))
    )
    with pages(schedcheck.explore(file)) as client:
        first = client.get("/").headers["location"]
        digest = first.split("/")[1]
        shown = client.get(f"/{digest}/edit", params={"asked": "Node//a-1"}).text
        assert "name: a-1" in shown
        removed = client.post(f"/{digest}/edit", data={"asked": "Node//a-1", "do": "remove", "text": ""})
        assert removed.status_code == 303
        text = client.get(removed.headers["location"]).text
        assert ">a-1<" not in text and ">b-1<" in text
        wrong = client.post(f"/{digest}/edit", data={"text": "{kind: Pod, metadata: {name: [3]}}", "do": "replace"})
        assert wrong.status_code == 400 and "expected a string" in wrong.text
        assert client.get("/").headers["location"] == first
        for number in range(MOST_EDITED + 1):
            node = f"{{kind: Node, metadata: {{name: x-{number}}}}}"
            last = client.post(f"/{digest}/edit", data={"text": node, "do": "replace"}).headers["location"]
        assert client.get(last).status_code == 200
        assert client.get(removed.headers["location"]).status_code == 404


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/nothing", 404), ("/DIGEST/x", 404), ("/DIGEST/1..2", 404), ("/DIGEST/٣", 404), ("/DIGEST/99", 400), ("/00000000/start", 404),
        ("/DIGEST/start/explain", 400), ("/DIGEST/start/explain?pod=nobody", 400), ("/DIGEST/99999999999999999999", 404),
        ("/DIGEST/edit?asked=Pod/x/y&back=../../evil", 200),
    ],
)  # fmt: skip
def test_an_address_of_nothing_is_a_page_that_says_so(path: str, code: int) -> None:
    with pages(schedcheck.explore(LOST)) as client:
        digest = client.get("/").headers["location"].split("/")[1]
        answer = client.get(path.replace("DIGEST", digest))
        assert answer.status_code == code and "evil" not in answer.text


def test_hostile_names_are_text(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(
        "kind: Node\napiVersion: v1\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '1', pods: '9'}}\n---\n"
        "kind: Pod\napiVersion: v1\nmetadata: {name: p, annotations: {app: '"
        + HOSTILE
        + "'}, namespace: default, uid: x}\n"
        "spec: {containers: [{name: c, image: '" + HOSTILE + "'}]}\n---\n"
        "kind: Scenario\napiVersion: schedcheck/v1alpha1\nmetadata: {name: '" + HOSTILE + "'}\nspec: {}\n"
    )
    with pages(schedcheck.explore(file)) as client:
        digest = client.get("/").headers["location"].split("/")[1]
        for path in ("start", "start/explain?pod=default/p", "edit?asked=Pod/default/p", f"start?find={HOSTILE}"):
            answer = client.get(f"/{digest}/{path}")
            assert answer.status_code == 200 and HOSTILE not in answer.text, path
        wrong = client.post(
            f"/{digest}/edit", data={"text": f"{{kind: '{HOSTILE}', metadata: {{name: [1]}}, x: }}{HOSTILE}"}
        )
        assert wrong.status_code == 400 and HOSTILE not in wrong.text


def test_other_names_of_the_server_and_pages_of_other_sites_are_refused() -> None:
    with pages(schedcheck.explore(LOST)) as client:
        digest = client.get("/").headers["location"].split("/")[1]
        assert client.get("/", headers={"Host": "evil.example:8321"}).status_code == 421
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
            assert client.post(f"/{digest}/check", data={"back": "start"}, headers=headers).status_code == 403
        own = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
        assert client.post(f"/{digest}/check", data={"back": "start"}, headers=own).status_code == 200
        headers = client.get(f"/{digest}/start").headers
        assert (
            headers["x-content-type-options"] == "nosniff"
            and "frame-ancestors 'none'" in headers["content-security-policy"]
        )


def test_with_a_token_nothing_is_told_without_it() -> None:
    with pages(schedcheck.explore(LOST), token="secret") as client:
        assert [client.get(path).status_code for path in ("/", "/?token=wrong", "/?token=", "/healthz")] == [401] * 4
        moved = client.get("/?token=secret&find=x")
        assert (moved.status_code, moved.headers["location"]) == (303, "/?find=x")
        assert (
            "httponly" in moved.headers["set-cookie"].lower()
            and "samesite=strict" in moved.headers["set-cookie"].lower()
        )
        assert client.get("/").status_code == 303
        client.cookies.clear()
        assert client.get("/", headers={"Cookie": "schedcheck-token=secre"}).status_code == 401


def test_a_body_of_another_kind_or_too_long_is_refused() -> None:
    with pages(schedcheck.explore(LOST)) as client:
        digest = client.get("/").headers["location"].split("/")[1]
        assert client.post(f"/{digest}/edit", json={}).status_code == 415
        assert client.post(f"/{digest}/edit", data={"text": "x" * 200_000}).status_code == 413
        many = "&".join(f"a{number}=1" for number in range(50))
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert client.post(f"/{digest}/edit", content=many, headers=form).status_code == 400


@pytest.mark.medium
def test_the_command_serves_reads_again_and_stops(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    node = "kind: Node\napiVersion: v1\nmetadata: {name: NAME}\nstatus: {allocatable: {cpu: '1', pods: '9'}}\n"
    file.write_text(node.replace("NAME", "old"))
    with running("--explore", str(file)) as server:
        first = httpx2.get(server.address, follow_redirects=True)
        assert ">old<" in first.text
        file.write_text(node.replace("NAME", "new"))
        server.process.send_signal(signal.SIGHUP)
        for _ in range(200):
            text = httpx2.get(server.address, follow_redirects=True).text
            if ">new<" in text:
                break
        assert ">new<" in text
        assert httpx2.get(str(first.url)).status_code == 404
        assert server.stop() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--explore"], "expected the files of a cluster"),
        (["--explore", LOST, "--judge-only"], "--judge-only: not possible with --explore"),
        ([LOST, "--controllers", "owners"], "--controllers: belongs to --explore"),
        (["--explore", LOST, "--controllers", "nobody"], "no controller has this name"),
        (["--explore", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_wrong_options_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    from schedcheck.cli import main

    assert main(["serve", *arguments]) == 3
    said = capsys.readouterr().err
    assert message in said and said.count("\n") <= 2


def test_keys_and_forms_walk_in_a_browser(browser: Browser) -> None:
    with running("--explore", LOST) as server:
        browser.visit(server.address)
        title = "document.querySelector('h2#state').textContent"
        assert browser.value(title) == "0 the initial state"
        for key, shown in {"2": "1 ScaleDown(b-1)", "1": "2 Fail(a-1)", "ArrowLeft": "1 ScaleDown(b-1)"}.items():
            browser.press(key)
            browser.until(f"document.readyState === 'complete' && {title} === '{shown}'")
        browser.value("document.querySelector('form[action$=check] button').click()")
        browser.until(
            "document.readyState === 'complete' && document.querySelector('.verdict')?.textContent === 'violated'"
        )
        browser.value("document.querySelectorAll('a.button')[2].click()")
        browser.until(
            "document.readyState === 'complete' && document.querySelector('.claim')?.textContent.includes('Violated here')"
        )
        unnamed = "[...document.querySelectorAll('a, button, input')].filter((each) => !(each.textContent.trim() || each.labels?.length || each.type === 'hidden')).length"
        assert browser.value(unnamed) == 0
        assert [each for each in browser.problems if not each.startswith(server.address)] == []
