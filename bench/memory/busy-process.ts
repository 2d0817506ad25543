// Keeps one processor busy until its parent ends it or is gone.
process.on('disconnect', () => process.exit())
for (;;) {
  const untilMs = performance.now() + 50
  while (performance.now() < untilMs);
  await new Promise((resolve) => setImmediate(resolve))
}
