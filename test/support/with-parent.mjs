// Preloaded in a process with a channel to whoever started it: when that one is gone, by whatever signal, nobody is left.
// Plain JavaScript: what takes off types would be 10 MB of each process that is measured.
process.once('disconnect', () => process.exit());
process.channel?.unref();
