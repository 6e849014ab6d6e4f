/** One of the parts that a process serves as, beside its front. */
export type Station = {
  readonly name: string;
  isReady(): boolean;
  stop(): Promise<void>;
};
