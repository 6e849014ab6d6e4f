import type { Command } from 'commander';
import { outputOption } from '../config.ts';
import { asJson, type OutputFormat, type World } from '../output.ts';
import type { UseQueue } from '../queue.ts';
import { buriedFrom, missingOf } from './buried.ts';
import { counted, missingWords } from './show.ts';

type Options = { readonly all?: boolean; readonly output: OutputFormat };

export function addRedrive(queue: Command, { terminal, fail }: World, use: UseQueue): void {
  queue
    .command('redrive')
    .argument('[id...]', 'of buried messages; with --all, the function whose they are')
    .description('put buried messages back to the end of their groups, to be run again')
    .option('--all', 'all of them, or all of one function')
    .addOption(outputOption('text', 'json'))
    .action(async (words: readonly string[], { all = false, output }: Options, self: Command) => {
      const buried = buriedFrom(words, all) ?? self.error('error: name messages, or say --all');
      const redriven = await use((opened) => opened.redrive(buried));
      const missing = missingOf(buried, redriven);
      if (missing > 0) fail();
      terminal.print(
        output === 'json'
          ? asJson({ redriven, missing })
          : `${counted(redriven, 'message')} redriven${missingWords(missing)}\n`,
      );
    });
}
