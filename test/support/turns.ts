/** Counts how often other tasks run during some work. 0 means that the work never yields the main thread. */
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
