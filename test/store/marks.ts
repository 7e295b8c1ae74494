import { table } from '../../src/store/index.js'

/** What the writer process writes: marks in pairs, a pair a transaction. */
export const marks = table<{ id: string; n: number; pair: string }>()({
  name: 'marks',
  indexes: { byPair: (mark) => mark.pair },
  owner: (mark) => `owner ${mark.n % 7}`,
})
