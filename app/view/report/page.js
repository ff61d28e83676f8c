"use strict";
// The slider chooses an output step. #step=N in the address chooses step N.
(() => {
  const steps = [...document.querySelectorAll(".step")];
  const slider = document.getElementById("slider");
  const markers = [...document.querySelectorAll(".lines[data-steps]")].flatMap((lines) =>
    ["step", "time"].map((along) => {
      const marker = lines.appendChild(document.createElement("i"));
      marker.className = `over-${along}`;
      const [first, last] = lines.dataset[`${along}s`].split(" ").map(Number);
      return (chosen) => {
        marker.style.left = `${(100 * (chosen[along] - first)) / (last - first)}%`;
      };
    }));

  const choose = (index) => {
    steps.forEach((step, i) => step.classList.toggle("chosen", i === index));
    const words = steps[index].dataset.when;
    document.getElementById("chosen").textContent = words;
    slider.setAttribute("aria-valuetext", words);
    slider.value = index;
    markers.forEach((place) => place(steps[index].dataset));
  };
  const fromAddress = () => {
    const index = steps.findIndex((step) => `#${step.id}` === location.hash);
    if (index >= 0) choose(index);
  };

  document.getElementById("steps").classList.add("chosen-only");
  document.getElementById("chooser").hidden = steps.length < 2;
  choose(steps.length - 1);
  fromAddress();
  slider.addEventListener("input", () => choose(Number(slider.value)));
  // Only when the slider is released: browsers limit changes of the address per second.
  slider.addEventListener("change", () => {
    history.replaceState(null, "", `#${steps[slider.value].id}`);
  });
  addEventListener("hashchange", fromAddress);
})();
