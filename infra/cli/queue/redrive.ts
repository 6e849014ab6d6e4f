import type { Command } from 'commander';
import type { Redriven } from '#events/queue.ts';
import { outputOption } from '../config.ts';
import { asJson, type OutputFormat, type World } from '../output.ts';
import { buriedFrom, functionIn } from './buried.ts';
import { counted, missingWords, stuckWords } from './show.ts';
import type { Strangers } from './strangers.ts';
import type { UseQueue } from './use.ts';

type Options = { readonly all?: boolean; readonly output: OutputFormat };

type Given = { readonly use: UseQueue; readonly strangers: Strangers };

export function addRedrive(queue: Command, world: World, { use, strangers }: Given): void {
  const { terminal, fail } = world;
  queue
    .command('redrive')
    .argument('[id...]', 'of buried messages; with --all, the function whose they are')
    .description('put buried messages back to the end of their groups, to be run again')
    .option('--all', 'all of them, or all of one function')
    .addOption(outputOption('text', 'json'))
    .action(async (words: readonly string[], { all = false, output }: Options, self: Command) => {
      const buried = buriedFrom(words, all) ?? self.error('error: name messages, or say --all');
      const done = await use((opened) => opened.queue.redrive(buried));
      const { count: redriven, missing, stuck } = done;
      if (missing.length > 0 || stuck.length > 0) fail();
      const json = { redriven, missing: missing.length, stuck };
      terminal.print(output === 'json' ? asJson(json) : said(done));
      if (redriven === 0 && stuck.length === 0) await strangers.tell(functionIn(buried));
    });
}

function said({ count, missing, stuck }: Redriven): string {
  const words = `${counted(count, 'message')} redriven${missingWords(missing.length)}`;
  return `${words}${stuckWords(stuck)}\n`;
}
