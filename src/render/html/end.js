startPage();
startTables();
startTimeline();
})();
