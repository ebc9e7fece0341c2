startPage();
startTables();
if (typeof startTimeline === 'function') startTimeline();
else window.gpusight = {ready: Promise.resolve()};
})();
