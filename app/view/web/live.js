"use strict";
// Asks for the state of the run every second. Loads the report anew when there is a newer output.
(() => {
  const at = (id) => document.getElementById(id);
  const buttons = [at("checkpoint"), at("stop")];
  let shown = "";

  const draw = (run) => {
    at("status").textContent = run.status;
    at("status").className = `status ${run.status}`;
    at("note").textContent = run.note;
    at("progress").max = Math.max(run.steps, 1);
    at("progress").value = run.step;
    at("facts").textContent = run.facts;
    at("log").textContent = run.log;
    for (const button of buttons) button.disabled = !run.controlled;
    const newest = `${run.output} ${run.status}`;
    if (run.output === null || newest === shown) return;
    shown = newest;
    at("none").hidden = true;
    at("report").hidden = false;
    at("report").src = `report?${encodeURIComponent(newest)}`;
  };
  const ask = async () => {
    try {
      const answer = await fetch("state");
      if (!answer.ok) throw new Error(await answer.text());
      draw(await answer.json());
    } catch (error) {
      at("status").textContent = "lost";
      at("status").className = "status died";
      at("note").textContent = `lapl watch does not answer: ${error.message}`;
      for (const button of buttons) button.disabled = true;
    }
    setTimeout(ask, 1000);
  };
  for (const button of buttons)
    button.addEventListener("click", async () => {
      button.disabled = true;
      const answer = await fetch(button.id, { method: "POST" });
      at("answer").textContent = await answer.text();
    });
  // The report has no scroll bar of its own.
  at("report").addEventListener("load", () => {
    const { body } = at("report").contentDocument;
    const fit = () => {
      at("report").style.height = `${Math.ceil(body.getBoundingClientRect().height) + 32}px`;
    };
    new ResizeObserver(fit).observe(body);
  });
  ask();
})();
