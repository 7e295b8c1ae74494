/**
 * The lengths of stories, floods and corpora. The test run plays short ones. `scripts/soak` plays the same code with
 * the long ones.
 */
const { SOAK, FC_SEED } = process.env

/** Whether the long stories are played. */
export const isSoak = SOAK !== undefined

/** Returns the size for the test run, or the full one for a soak. */
export const size = (short: number, long: number): number => (isSoak ? long : short)

/** A number of runs, steps or kills. The factor of a soak multiplies it. */
export const runs = (short: number, long: number): number => (isSoak ? Math.ceil(long * Number(SOAK)) : short)

/** The seed of the first story. A soak may play another one. */
export const firstSeed = (seed = 1): number => (isSoak ? Number(FC_SEED ?? seed) : seed)

/** Consecutive seeds from the first one. */
export const seeds = (short: number, long: number): number[] =>
  Array.from({ length: runs(short, long) }, (_, at) => firstSeed() + at)
