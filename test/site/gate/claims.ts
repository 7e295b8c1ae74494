/** Claims of visitors, and the conditions of the model, which are evaluated independently of the service. */
import { pick, type Random } from '../../simulation/two-sided/random.js'

/** The claims of a visitor after every check. All are declared. */
export interface Claims {
  isPro?: boolean
  isStaff?: boolean
  isBeta?: boolean
}

export interface Condition {
  text: string
  holds(claims: Claims): boolean
}

const PRO = 'visitor.claims.isPro'
const STAFF = 'visitor.claims.isStaff'
const BETA = 'visitor.claims.unsigned.isBeta'

/** Conditions that the API accepts. */
export const CONDITIONS: readonly Condition[] = [
  { text: `${PRO} == true`, holds: ({ isPro }) => isPro === true },
  { text: `${PRO} != true`, holds: ({ isPro }) => isPro !== true },
  { text: `!${STAFF}`, holds: ({ isStaff }) => isStaff !== true },
  { text: `${PRO} && ${STAFF}`, holds: ({ isPro, isStaff }) => isPro === true && isStaff === true },
  { text: `${PRO} || ${STAFF}`, holds: ({ isPro, isStaff }) => isPro === true || isStaff === true },
  { text: `${BETA} == true`, holds: ({ isBeta }) => isBeta === true },
  { text: `${BETA} && !${PRO}`, holds: ({ isBeta, isPro }) => isBeta === true && isPro !== true },
]

const never = (text: string): Condition => ({ text, holds: () => false })

/** Conditions of front matter that no visitor meets, because they cannot be read. */
const BROKEN: readonly Condition[] = [
  never(`${PRO} == `),
  never('[a, b]'),
  never('"(((("'),
  never(`'${PRO} || ${'x'.repeat(1_100)}'`),
  never('fetch("http://127.0.0.1")'),
]

export const someCondition = (next: Random): Condition => pick(next, CONDITIONS) as Condition
export const somePageCondition = (next: Random): Condition =>
  next(6) === 0 ? (pick(next, BROKEN) as Condition) : someCondition(next)

const boolean = { type: 'boolean' }
/** The adaptive schema of sites with adaptive content. */
export const SCHEMA = {
  jsonSchema: {
    type: 'object',
    properties: {
      unsigned: { type: 'object', properties: { isBeta: boolean }, additionalProperties: false },
      isPro: boolean,
      isStaff: boolean,
    },
    additionalProperties: false,
  },
}
