import type { Row } from '#shared/domain/mirrored.ts';
import type { Happened } from './wakes.ts';

type Ends = { readonly before: Row | undefined; readonly after: Row | undefined };

/** What became of a row. */
export function happenedTo(
  { namespace, name, uid, resourceVersion }: Row,
  { type, ...ends }: Pick<Happened, 'type'> & Ends,
): Happened {
  const eventId = `${uid}/${resourceVersion}/${type}`;
  return Object.assign(new States(ends), { type, namespace, name, uid, eventId });
}

/** A row is taken to pieces when somebody asks what it was, which most triggers do not; by no getter of a literal, as `Unread`. */
class States {
  readonly #ends: Ends;

  constructor(ends: Ends) {
    this.#ends = ends;
  }

  get before() {
    return this.#ends.before?.object;
  }

  get after() {
    return this.#ends.after?.object;
  }
}
