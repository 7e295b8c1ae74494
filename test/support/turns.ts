/** Counts how often other tasks get a turn during some work: 0 if the work never lets go of the main thread. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  await work()
  clearImmediate(next)
  return turns
}
