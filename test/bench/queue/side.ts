/** One of those that are compared. */
export type QueueSide = {
  /** So many messages in so many groups; what was there is gone. */
  fill(count: number, groups: number): Promise<void>;
  takeBatch(): Promise<number>;
  close(): Promise<void>;
};

/** The receive and the settle of so many batches are under way at once, on both sides. */
export const lanes = 16;
export const batch = 10;
