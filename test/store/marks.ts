import { table } from '../../src/store/index.js'

/** The documents of the writer process: pairs of marks, one pair per transaction. */
export const marks = table<{ id: string; n: number; pair: string }>()({
  name: 'marks',
  indexes: { byPair: (mark) => mark.pair },
  owner: (mark) => `owner ${mark.n % 7}`,
})
