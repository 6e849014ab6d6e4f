// Preloaded in a process with a channel to whoever started it: when that one is gone, by whatever signal, nobody is left.
process.once('disconnect', () => process.exit());
process.channel?.unref();
