import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  mayVisitorSee,
  type VisitorContext,
  type VisitorPage,
  type VisitorUse,
  visibleTo,
} from '../../src/access/index.js'
import { suite } from '../support/suite.js'

const test = suite('visitor gate')

const NAMES = ['a', 'b', 'c'] as const
const MONOTONE = ['a', 'b', 'c', 'a&b', 'a|c'] as const
const CONDITIONS = [...MONOTONE, '!a', '!b', 'throws', 'unknown', ''] as const

/** A small condition language. The gate does not know the syntax of real conditions. */
function holdsOf(claims: readonly string[]): (condition: string) => boolean {
  return (condition) => {
    if (condition === 'throws') throw new Error('it cannot be evaluated')
    if (condition.startsWith('!')) return !claims.includes(condition.slice(1))
    if (condition.includes('&')) return condition.split('&').every((name) => claims.includes(name))
    if (condition.includes('|')) return condition.split('|').some((name) => claims.includes(name))
    if (!NAMES.includes(condition as 'a')) return 'yes' as unknown as boolean
    return claims.includes(condition)
  }
}

interface Facts {
  published: boolean
  visibility: VisitorContext['visibility']
  shareKey: boolean
  token: boolean
  claims: readonly string[]
}

const context = ({ claims, ...rest }: Facts): VisitorContext => ({ ...rest, holds: holdsOf(claims) })

const facts: fc.Arbitrary<Facts> = fc.record({
  published: fc.boolean(),
  visibility: fc.constantFrom('public', 'unlisted', 'share-link', 'visitor-auth', 'in-another-world' as 'public'),
  shareKey: fc.boolean(),
  token: fc.boolean(),
  claims: fc.subarray([...NAMES]),
})
/** Pages of a tree. The parent of each is an earlier page, or -1 for the top level. */
const treeOf = (conditions: readonly string[]): fc.Arbitrary<VisitorPage[]> =>
  fc
    .array(
      fc.record({
        within: fc.integer({ min: -1, max: 7 }),
        flags: fc.record({ draft: fc.boolean(), gone: fc.boolean(), hidden: fc.boolean() }, { requiredKeys: [] }),
        condition: fc.option(fc.constantFrom(...conditions), { nil: undefined, freq: 2 }),
        plain: fc.boolean(),
      }),
      { maxLength: 10 },
    )
    .map((drawn) => {
      const pages: VisitorPage[] = []
      for (const { within, flags, condition, plain } of drawn) {
        const above = pages[within]
        pages.push({
          ...(above ? { within: above } : {}),
          ...(plain ? {} : flags),
          ...(condition === undefined ? {} : { condition }),
        })
      }
      return pages
    })
const use = fc.constantFrom<VisitorUse>('list', 'read')
const chainOf = (page: VisitorPage): VisitorPage[] => [page, ...(page.within ? chainOf(page.within) : [])]

test('the list form returns the results of the single form, in the same order', () =>
  fc.assert(
    fc.property(facts, treeOf(CONDITIONS), use, (who, pages, how) => {
      const all = pages.map((page, i) => ({ i, page }))
      const one = all.filter(({ page }) => mayVisitorSee(context(who), page, how))
      assert.equal(
        visibleTo(context(who), all, ({ page }) => page, how).map(({ i }) => i),
        one.map(({ i }) => i),
      )
    }),
  ))

test("the gate's decisions match the table in the design document", () =>
  fc.assert(
    fc.property(facts, treeOf(CONDITIONS), use, (who, pages, how) => {
      const { published, visibility, shareKey, token } = who
      const open = { public: true, unlisted: true, 'share-link': shareKey, 'visitor-auth': token }[visibility] ?? false
      const worth = (condition: string): boolean => {
        try {
          return holdsOf(who.claims)(condition) === true
        } catch {
          return false
        }
      }
      for (const page of pages) {
        const chain = chainOf(page)
        const live = chain.every(
          (one) => !one.draft && !one.gone && (one.condition === undefined || worth(one.condition)),
        )
        const found = how === 'read' || chain.every((one) => !one.hidden)
        assert.is(mayVisitorSee(context(who), page, how), published && open && live && found)
      }
    }),
  ))

test('every listed page can be read', () =>
  fc.assert(
    fc.property(facts, treeOf(CONDITIONS), (who, pages) => {
      for (const page of visibleTo(context(who), pages, (one) => one, 'list'))
        assert.ok(mayVisitorSee(context(who), page, 'read'))
    }),
  ))

test('no visitor sees drafts, deleted pages or anything below them', () =>
  fc.assert(
    fc.property(facts, treeOf(CONDITIONS), use, (who, pages, how) => {
      const everything = { ...context({ ...who, shareKey: true, token: true }), holds: () => true }
      for (const page of visibleTo(everything, pages, (one) => one, how))
        assert.ok(chainOf(page).every((one) => !one.draft && !one.gone))
      assert.equal(
        visibleTo({ ...everything, published: false }, pages, (one) => one, how),
        [],
      )
    }),
  ))

test('removing the key, the token or the publication never shows a visitor more', () =>
  fc.assert(
    fc.property(
      facts,
      treeOf(CONDITIONS),
      use,
      fc.constantFrom('published' as const, 'shareKey' as const, 'token' as const),
      (who, pages, how, taken) => {
        for (const page of pages)
          if (mayVisitorSee(context({ ...who, [taken]: false }), page, how))
            assert.ok(mayVisitorSee(context(who), page, how))
      },
    ),
  ))

test('a visitor with fewer claims does not see more if the conditions only require claims', () =>
  fc.assert(
    fc.property(facts, treeOf([...MONOTONE, 'throws']), use, fc.subarray([...NAMES]), (who, pages, how, taken) => {
      const fewer = { ...who, claims: who.claims.filter((name) => !taken.includes(name as 'a')) }
      for (const page of pages)
        if (mayVisitorSee(context(fewer), page, how)) assert.ok(mayVisitorSee(context(who), page, how))
    }),
  ))

test('a list evaluates each condition once and handles a chain of 100,000 pages', () => {
  let asked = 0
  const counting: VisitorContext = {
    ...{ published: true, visibility: 'public', shareKey: false, token: false },
    holds: () => {
      asked++
      return true
    },
  }
  const pages: VisitorPage[] = []
  for (let i = 0; i < 100_000; i++)
    pages.push({ condition: `c${i % 10}`, ...(pages[i - 1] ? { within: pages[i - 1] as VisitorPage } : {}) })
  assert.is(visibleTo(counting, pages.reverse(), (one) => one, 'list').length, 100_000)
  assert.is(asked, 10)
})

test.run()
