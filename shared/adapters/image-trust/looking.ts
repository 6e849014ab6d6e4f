import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { nameToAsk } from '#shared/domain/image-trust/name-to-ask.ts';
import { anyDigest } from '#shared/domain/image-trust/verdict-store.ts';
import { bareContent, type Content, crowded } from './contents.ts';
import { inTime } from './in-time.ts';
import { tooSlow } from './verdict-by.ts';
import { endOfTime, type Look, type Seen, type Tools, type Vouching, vouched } from './vouching.ts';

/** One image: under which name, what it is, and who vouches for it. */
export async function look(tools: Tools, image: string, given: Look): Promise<Seen> {
  const named = nameToAsk(image, given.originOf, given.rules);
  if (named.kind === 'told') {
    const { judgement } = named;
    const told = now(judgement);
    return judgement.kind === 'allowed' ? { ...told, until: endOfTime } : told;
  }

  const { signed, pulled } = named;
  const { account, logins, rules, signal } = given;
  const asking = { pulled, account, logins, signal: AbortSignal.timeout(tools.boundMs) };
  const found = tools.contents.find(asking);
  const toldIn = (timeoutMs: number) => inTime(found, { rules: { timeoutMs }, signal });
  const vouching = { ...given, signed, pulled };
  const patienceMs = Math.min(given.patienceMs, rules.timeoutMs);
  const soon = await toldIn(patienceMs);
  if (soon !== undefined) return seenOf(tools, vouching, soon);

  // Whoever vouches is asked meanwhile: else a registry that hangs left no time to hear that it was taken back.
  const isInLine = tools.contents.hasWaited(asking);
  const silence = isInLine ? crowded.judgement : tooSlow(`the registry of ${image}`);
  const standing = seenWithout(tools, vouching, silence);
  standing.catch(() => undefined);
  const late = await toldIn(rules.timeoutMs - patienceMs);
  if (late !== undefined) return seenOf(tools, vouching, late);
  // Our own line has taken the time in which somebody could have been asked.
  const isCrowded = tools.contents.hasWaited(asking);
  const seen = await standing;
  return isCrowded && seen.judgement.kind === 'unavailable' ? now(crowded.judgement) : seen;
}

type Looked = Omit<Vouching, 'content' | 'unread'>;

/** A registry that hangs is away as one that is gone. */
async function seenWithout(tools: Tools, vouching: Looked, silence: Judgement): Promise<Seen> {
  const content = await tools.contents.standIn(vouching.pulled);
  return seenOf(tools, vouching, content ?? { kind: 'failed', judgement: silence });
}

async function seenOf(tools: Tools, vouching: Looked, content: Content): Promise<Seen> {
  if (content.kind === 'content') {
    return vouched(tools, { ...vouching, content, unread: undefined });
  }
  const { judgement: unread } = content;
  if (unread.kind !== 'unavailable') return now(unread);
  const { digest = anyDigest } = vouching.pulled;
  return vouched(tools, { ...vouching, content: bareContent(digest), unread });
}

function now(judgement: Judgement): Seen {
  return { judgement, collections: [], until: undefined };
}
