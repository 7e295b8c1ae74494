import { collection } from '../../src/store/index.js'

/** What the writer process writes: marks in pairs, a pair a transaction. */
export const marks = collection<{ id: string; n: number; pair: string }>()({
  name: 'marks',
  indexes: { byPair: (mark) => mark.pair },
  owner: (mark) => `owner ${mark.n % 7}`,
})
