import type { Json, JsonObject } from '#shared/domain/json.ts';
import type { Edit } from './edit.ts';

/** One request. `{ns}`, `{rv}`, `{uid}`, `{listed}`, `{token}` and `{jwt}` are filled by what the server itself has answered. */
export type Step = {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | undefined;
  /** What takes a moment is asked again until it is answered so. */
  readonly eventually?: number;
  /** By this name the version of what it answers is known from then on. */
  readonly marks?: string;
};

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: Json }
  /** What was last seen at that path, with changes; where nothing was seen, `otherwise`. */
  | {
      readonly kind: 'seen';
      readonly path: string;
      readonly edits: readonly Edit[];
      readonly otherwise: JsonObject;
    };

export function lineOf({ method, path, query }: Step): string {
  return `${method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}
