"use strict";
// Follows a crawl: the server sends the changed part of the page, ready to be shown; the chart is drawn from its own numbers.
(() => {
  const live = document.getElementById("live");
  const place = document.getElementById("curve");
  let chart = null;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  async function draw() {
    const answer = await fetch(place.dataset.curve).catch(() => null);
    if (!answer || !answer.ok) return;
    const columns = await answer.json();
    if (!columns[0].length) return;
    if (chart) {
      chart.setData(columns);
      return;
    }
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--grid") }, ticks: { stroke: colour("--grid") } };
    const line = (label, name, dash) => ({ label, stroke: colour(name), width: 2, dash, spanGaps: true,
      value: (_, value) => (value === null ? "-" : value.toFixed(2)) });
    chart = new uPlot({
      width: place.clientWidth, height: 280,
      scales: { x: { time: false }, y: { range: [0, 1] } },
      axes: [{ ...axis, label: "pages" }, axis],
      series: [{ label: "pages" }, line("of all pages", "--ink"), line("of the last pages", "--line", [4, 3]),
        line("as the model estimates", "--soft", [1, 3])],
    }, columns, place);
  }

  addEventListener("resize", () => chart && chart.setSize({ width: place.clientWidth, height: 280 }));
  draw();
  if (!live.dataset.events) return;
  const events = new EventSource(live.dataset.events);
  events.addEventListener("state", (event) => {
    live.innerHTML = JSON.parse(event.data);
    draw();
  });
  events.addEventListener("end", () => events.close());
  events.addEventListener("open", () => lost(false));
  events.addEventListener("error", () => lost(true));
})();
