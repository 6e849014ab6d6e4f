import { type Command, InvalidArgumentError } from 'commander';
import type { Queue } from '#events/queue.ts';
import { outputOption } from './config.ts';
import { asJson, type OutputFormat, type World } from './output.ts';
import { deadOf } from './queue/dead-ids.ts';
import { addPurge } from './queue/purge.ts';
import { addRedrive } from './queue/redrive.ts';
import { deadTable, depthTable, waitingTable } from './queue/show.ts';

/** Opens the queue for the length of one verb; tests hand in their own. */
export type UseQueue = <T>(work: (queue: Queue) => Promise<T>) => Promise<T>;

type Output = { readonly output: OutputFormat };
type Listing = Output & { readonly max: number };

export function addQueue(program: Command, world: World, use: UseQueue): void {
  const { terminal } = world;
  const { paint } = terminal;
  const queue = program
    .command('queue')
    .description('look at the messages that wake functions, and at those that were buried');
  const show = (output: OutputFormat, value: unknown, text: string) =>
    terminal.print(output === 'json' ? asJson(value) : text);

  queue
    .command('ls')
    .description('how much waits for each function, and for how long')
    .addOption(outputOption('text', 'json'))
    .action(async ({ output }: Output) => {
      const depths = await use((opened) => opened.depth());
      show(output, depths, depthTable(depths, paint));
    });

  queue
    .command('peek')
    .argument('<function>', 'whose messages')
    .description('the next messages of a function, without receiving them (SQS cannot show them)')
    .option('--max <count>', 'at most so many', countFrom, 20)
    .addOption(outputOption('text', 'json'))
    .action(async (name: string, { max, output }: Listing) => {
      const messages = await use((opened) => opened.peek(name, max));
      show(output, messages, waitingTable(name, messages, paint));
    });

  queue
    .command('dead')
    .argument('[function]', 'whose; of all functions where it is left out')
    .description('the buried messages, each with its reason; -o json shows their bytes as well')
    .option('--max <count>', 'at most so many', countFrom, 100)
    .addOption(outputOption('text', 'json'))
    .action(async (name: string | undefined, { max, output }: Listing) => {
      const dead = await use((opened) => deadOf(opened, name, max));
      show(output, dead, deadTable(dead, paint));
    });

  addRedrive(queue, world, use);
  addPurge(queue, world, use);
}

function countFrom(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a number from 1 to 999999.');
}
