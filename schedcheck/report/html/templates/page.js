"use strict";
(() => {
  const data = document.getElementById("data");
  data.hidden = false;
  data.addEventListener("toggle", () => {
    const read = JSON.parse(document.getElementById("answer").textContent);
    data.querySelector("pre").textContent = JSON.stringify(read, null, 2);
  }, { once: true });
  const players = [...document.querySelectorAll(".player")].map((root) => {
    const steps = [...root.querySelectorAll(".step")];
    const links = [...root.querySelectorAll(".list a")];
    const now = root.querySelector(".now");
    const all = root.querySelector('[data-go="all"]');
    const buttons = Object.fromEntries([...root.querySelectorAll("[data-go]")].map((each) => [each.dataset.go, each]));
    const last = steps.length - 1;
    const player = { root, steps, at: 0, whole: false };
    player.show = (to, share) => {
      player.at = Math.max(0, Math.min(last, to));
      steps.forEach((step, number) => { step.hidden = !player.whole && number !== player.at; });
      links.forEach((link, number) => {
        if (number === player.at) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
      });
      for (const [go, off] of [["first", player.at === 0], ["back", player.at === 0], ["on", player.at === last], ["last", player.at === last]])
        buttons[go].setAttribute("aria-disabled", String(off));
      now.textContent = `Step ${player.at} of ${last}: ${steps[player.at].dataset.said}`;
      if (share) history.replaceState(null, "", `#${steps[player.at].id}`);
      if (share && player.whole) steps[player.at].scrollIntoView({ block: "nearest" });
    };
    player.go = (where) => {
      active = player;
      if (where === "all") {
        player.whole = !player.whole;
        all.setAttribute("aria-pressed", String(player.whole));
        return player.show(player.at, false);
      }
      player.show({ first: 0, back: player.at - 1, on: player.at + 1, last }[where], true);
    };
    root.addEventListener("click", (event) => {
      const button = event.target.closest("[data-go]");
      if (button) return player.go(button.dataset.go);
      const link = event.target.closest(".list a");
      if (link) { event.preventDefault(); active = player; player.show(Number(link.dataset.step), true); }
    });
    root.addEventListener("focusin", () => { active = player; });
    root.querySelector(".controls").hidden = last < 1;
    root.classList.add("live");
    return player;
  });
  let active = players[0];
  const shared = (scroll) => {
    const id = decodeURIComponent(location.hash.slice(1));
    for (const player of players) {
      const number = player.steps.findIndex((step) => step.id === id);
      if (number >= 0) {
        active = player;
        player.show(number, false);
        if (scroll) player.root.scrollIntoView({ block: "start" });
      }
    }
  };
  players.forEach((player) => player.show(0, false));
  shared(true);
  addEventListener("hashchange", () => shared(false));
  const tables = (root) => [...root.querySelectorAll(".decision")];
  addEventListener("keydown", (event) => {
    const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    if (!active || !plain || event.key !== "t" || (event.target.closest && event.target.closest("input, textarea, select"))) return;
    const open = !active.steps[active.at].querySelector(".decision[open]");
    tables(active.root).forEach((each) => { each.open = open; });
  });
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => { folded.forEach((each) => { each.open = false; }); });
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  addEventListener("keydown", (event) => {
    const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    const held = event.target.closest && event.target.closest("input, textarea, select, .scroll");
    if (!active || !plain || held || !(event.key in keys)) return;
    event.preventDefault();
    active.go(keys[event.key]);
  });
})();
