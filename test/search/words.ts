/** Words that occur nowhere else, so that a search for one has exactly one right response. */
import type { Random } from '../simulation/two-sided/random.js'

const FIRST = 'bdfgklmnprstvz'
const VOWELS = 'aeiou'

/** Creates words of ten letters, each far from all others, so that none counts as another's misspelling. */
export class Words {
  readonly #made: string[] = []
  constructor(private readonly next: Random) {}

  one(): string {
    for (;;) {
      const word = Array.from({ length: 10 }, (_, i) => {
        const letters = i % 2 === 0 ? FIRST : VOWELS
        return letters[this.next(letters.length)] as string
      }).join('')
      if (this.#made.every((other) => isFar(word, other))) {
        this.#made.push(word)
        return word
      }
    }
  }
}

/** Whether two words of the same length differ so much that a search for one may not find the other. */
function isFar(a: string, b: string): boolean {
  let same = 0
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) same++
  return same <= 4 && a.slice(0, 3) !== b.slice(0, 3)
}
