export const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

/** What a request does; `patch` is server-side apply as well. */
export type Verb = (typeof verbs)[number];

export const writing: readonly Verb[] = ['create', 'update', 'patch', 'delete'];
