export type Node = { readonly name: string; readonly labels: Readonly<Record<string, string>> };
