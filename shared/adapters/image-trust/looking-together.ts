import { joining } from '../joining.ts';
import { inTime } from './in-time.ts';
import { look } from './looking.ts';
import { isLate } from './verdict-by.ts';
import type { Look, Seen, Tools } from './vouching.ts';

export type LookingTogether = {
  /** `key`: all that the answer depends on beside the image, who asks and how long that is to take. */
  look(image: string, key: string, given: Look): Promise<Seen>;
  /** What is known has changed: whoever comes now looks anew. */
  part(): void;
};

/** Of many who ask the same in the same way one looks, and the others are told what was seen. */
export function lookingTogether(tools: Tools): LookingTogether {
  const looking = joining<Seen>();
  return {
    async look(image, key, given) {
      // What a dry run finds out is nobody else's.
      if (given.isDryRun) return look(tools, image, given);
      const { account, rules } = given;
      let isFirst = false;
      const seeing = looking.ask(JSON.stringify([key, account.key, rules.timeoutMs]), () => {
        isFirst = true;
        return look(tools, image, given);
      });
      if (isFirst) return seeing;
      const seen = await inTime(seeing, given);
      // The time of the first one may be over before that of the others is.
      return seen === undefined || isCutShort(seen) ? look(tools, image, given) : seen;
    },
    part: looking.part,
  };
}

function isCutShort({ judgement, until }: Seen): boolean {
  return isLate(judgement) && until === undefined;
}
