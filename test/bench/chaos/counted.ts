import type { Served } from './processes.ts';
import type { Troupe } from './world.ts';

/** What forwarders say of themselves, in the metrics that an operator would look at. */
export type Counted = {
  /** What their self-audits found missing: the ledger and this number have to agree. */
  readonly lost: number;
  readonly audits: number;
};

/** A forwarder's counts end with it: whoever kills one asks first. */
export async function countedBy({ probePort }: Pick<Served, 'probePort'>): Promise<Counted> {
  const text = await (await fetch(`http://127.0.0.1:${probePort}/metrics`)).text();
  return { lost: sumOf(text, 'lost_total'), audits: sumOf(text, 'audits_total') };
}

export async function countedByAll({ forwarders, counted }: Troupe): Promise<Counted> {
  const all = [...counted, ...(await Promise.all(forwarders.map(countedBy)))];
  return {
    lost: all.reduce((sum, each) => sum + each.lost, 0),
    audits: all.reduce((sum, each) => sum + each.audits, 0),
  };
}

/** Over all scopes; what is not there at all must not look like none. */
function sumOf(text: string, name: string): number {
  const metric = `gatehouse_forwarder_${name}`;
  if (!text.includes(`# TYPE ${metric} `)) throw new Error(`there is no ${metric}`);
  const values = text.split('\n').filter((line) => line.startsWith(`${metric}{`));
  return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
