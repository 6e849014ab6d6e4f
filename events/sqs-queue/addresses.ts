import { createHash } from 'node:crypto';

/** As `render --target lambda` names them; `prefix` is `gatehouse-<stage>`. */
export function queueName(prefix: string, functionName: string): string {
  return `${prefix}-${functionName}.fifo`;
}

export function deadQueueName(prefix: string, functionName: string): string {
  return `${prefix}-${functionName}-dead.fifo`;
}

const longestName = 80;

/** Why SQS cannot have the queues of all these functions; `undefined`: it can. */
export function unnameable(prefix: string, functions: readonly string[]): string | undefined {
  const both = functions.find((name) => functions.includes(`${name}-dead`));
  if (both !== undefined) return `what ${both} buries would wake ${both}-dead, by one queue`;
  const long = functions.find((name) => deadQueueName(prefix, name).length > longestName);
  if (long === undefined) return undefined;
  return `${deadQueueName(prefix, long)} is longer than the ${longestName} characters of a queue's name`;
}

/** Of the queue that has this address (`arn:aws:sqs:…`). `undefined`: it is not named as ours are. */
export function prefixIn(arn: string, functionName: string): string | undefined {
  const name = arn.split(':').at(-1) ?? '';
  const end = queueName('', functionName);
  return name.endsWith(end) ? name.slice(0, -end.length) || undefined : undefined;
}

const longest = 128;
const hashLength = 43;
/** Letters, digits and punctuation: all that SQS takes in the id of a group, and in that of a message. */
const taken = /^[!-~]{1,128}$/;
const odd = /[^!-~]/g;

/** The message has the group as it is: two groups under one id would only wait for each other. */
export function groupId(group: string): string {
  return accepted(group);
}

/** What SQS knows duplicates by. Whoever shared it with another one would be dropped. */
export function deduplicationId(id: string): string {
  return accepted(id);
}

/** What cannot stand there is written as its readable beginning and its hash. */
function accepted(id: string): string {
  if (taken.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('base64url');
  return `${id.replace(odd, '_').slice(0, longest - hashLength - 1)}~${hash}`;
}
