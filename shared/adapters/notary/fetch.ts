/** What a guarded HTTP client has to give: one answer to one request. It follows no redirect and never throws. */
export type Fetch = (request: FetchRequest) => Promise<FetchReply>;

export type FetchRequest = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A body is read no further than one byte past it. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

export type FetchReply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** By lowercase name; several of one name are joined by `, `. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
    }
  | { readonly kind: 'too-large'; readonly status: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreachable' };

export type Answer = Extract<FetchReply, { readonly kind: 'answer' }>;

export type Credentials = { readonly username: string; readonly password: string };
