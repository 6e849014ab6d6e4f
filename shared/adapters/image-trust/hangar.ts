import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { OwnAnchor } from './anchoring.ts';
import type { Attempt } from './attempt.ts';
import type { Newest } from './newest.ts';
import type { Askable, JudgeParts } from './parts.ts';
import type { Subject } from './subject.ts';
import type { WaitingRoom } from './waiting-room.ts';

export type Verification = {
  readonly subject: Subject;
  readonly isDryRun: boolean;
  readonly askable: Askable;
};

/** What all verifications of a process share. */
export type Hangar = JudgeParts & {
  readonly attempt: Attempt;
  readonly verdicts: Newest<Verdict>;
  /** As they were last read or proven: what is left to go on by while the database is away. */
  readonly anchors: Newest<OwnAnchor>;
  readonly waiting: WaitingRoom;
  readonly looks: Looks;
};

/** How soon one who waits looks by itself, and how seldom at most. */
export type Looks = { readonly firstMs: number; readonly mostMs: number };
