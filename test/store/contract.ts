import * as assert from 'uvu/assert'
import type { JournalQuery } from '../../src/kernel/documents.js'
import { compareSortKeys, type PageRange } from '../../src/kernel/paging.js'
import {
  table,
  DuplicateKey,
  journal,
  NoDocument,
  type Reader,
  StaleDocument,
  StoreClosed,
  type Store,
} from '../../src/store/index.js'
import { suite } from '../support/suite.js'

interface Page {
  id: string
  space: string
  slug: string
  tags?: string[]
  title?: string
  weight?: number
}

/** The table that the contract works on. An adapter that must know its tables in advance declares it. */
export const pages = table<Page>()({
  name: 'pages',
  indexes: {
    bySpace: (page) => page.space,
    bySlug: (page) => `${page.space}/${page.slug}`,
    byTag: (page) => page.tags ?? null,
  },
  unique: ['bySlug'],
  orders: {
    byTitle: { group: (page) => page.space, by: (page) => String(page.title ?? '') },
    byWeight: {
      group: (page) => (page.weight === undefined ? null : [page.space, ...(page.tags ?? [])]),
      by: (page) => page.weight as number,
    },
  },
  owner: (page) => page.space,
})

interface Entry {
  of: string
  n: number
  at: string
}
/** The journal that the contract works on. */
export const entries = journal<Entry>()({ name: 'journal-entries', group: ({ of }) => of, at: ({ at }) => at })
const hour = (n: number): string => new Date(Date.UTC(2026, 0, 1, n)).toISOString()
const entry = (of: string, n: number): Entry => ({ of, n, at: hour(n) })

const page = (id: string, more: Partial<Page> = {}): Page => ({ id, space: 's', slug: id, ...more })

async function thrown(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  return undefined
}

/** A storage location for a store. After the store is closed and opened again, it has the same documents. */
export interface StorePlace {
  open(): Promise<Store>
  dispose(): Promise<void>
}

/** The contract of every store adapter. Registers and runs one suite. `after` runs at its end. */
export function storeContract(
  name: string,
  place: () => Promise<StorePlace>,
  after: () => Promise<void> = async () => {},
): void {
  const test = suite(`store contract: ${name}`)
  test.after(after)
  const check = (what: string, work: (store: Store, reopen: () => Promise<Store>) => Promise<void>) =>
    test(what, async () => {
      const at = await place()
      let store = await at.open()
      try {
        await work(store, async () => {
          await store.close()
          store = await at.open()
          return store
        })
      } finally {
        await store.close()
        await at.dispose()
      }
    })

  check('an inserted document has version 1 and can be read, also after a restart', async (store, reopen) => {
    const made = await store.insert(pages, page('a', { title: 'Ä\u2028"\\\n' }))
    assert.equal(made, { id: 'a', version: 1, space: 's', slug: 'a', title: 'Ä\u2028"\\\n' })
    assert.equal(await store.get(pages, 'a'), made)
    assert.is(await store.get(pages, 'b'), null)
    const again = await reopen()
    assert.equal(await again.get(pages, 'a'), made)
  })

  check('a replacement requires the stored version', async (store) => {
    const first = await store.insert(pages, page('a'))
    const second = await store.replace(pages, { ...first, title: 'x' })
    assert.is(second.version, 2)
    const error = (await thrown(store.replace(pages, { ...first, title: 'y' }))) as StaleDocument
    assert.instance(error, StaleDocument)
    assert.equal([error.table, error.id, error.given, error.stored], ['pages', 'a', 1, 2])
    assert.instance(await thrown(store.replace(pages, { ...first, id: 'none' })), NoDocument)
    assert.is((await store.get(pages, 'a'))?.title, 'x')
  })

  check('a removal reports whether the document existed', async (store, reopen) => {
    await store.insert(pages, page('a'))
    assert.is(await store.remove(pages, 'a'), true)
    assert.is(await store.remove(pages, 'a'), false)
    assert.is(await store.count(pages, 'bySpace', 's'), 0)
    assert.is((await store.insert(pages, page('a'))).version, 1)
    await store.remove(pages, 'a')
    assert.equal(await (await reopen()).all(pages), [])
  })

  check('an index finds documents by one key, by several and by none', async (store, reopen) => {
    const a = await store.insert(pages, page('a', { tags: ['x', 'y', 'x'] }))
    await store.insert(pages, page('b', { tags: ['y'] }))
    await store.insert(pages, page('c', { space: 't' }))
    const ids = async (from: Store, key: string) => (await from.find(pages, 'byTag', key)).map(({ id }) => id).sort()
    assert.equal([await ids(store, 'x'), await ids(store, 'y'), await ids(store, 'z')], [['a'], ['a', 'b'], []])
    await store.replace(pages, { ...a, tags: ['z'] })
    assert.equal([await ids(store, 'x'), await ids(store, 'y'), await ids(store, 'z')], [[], ['b'], ['a']])
    const again = await reopen()
    assert.equal([await ids(again, 'x'), await ids(again, 'y'), await ids(again, 'z')], [[], ['b'], ['a']])
    assert.equal([await again.count(pages, 'bySpace', 's'), await again.count(pages, 'bySpace', 't')], [2, 1])
    assert.is((await again.all(pages)).length, 3)
  })

  check('a missing index or order is rejected', async (store) => {
    assert.instance(await thrown(store.find(pages, 'toString' as 'bySpace', 'x')), TypeError)
    assert.instance(
      await thrown(store.page(pages, 'toString' as 'byTitle', 'x', { limit: 1, direction: 'asc' })),
      TypeError,
    )
  })

  check('a list can be read in both directions from any key', async (store, reopen) => {
    for (const [id, title] of [
      ['c', 'x'],
      ['a', 'x'],
      ['b', 'w'],
      ['d', 'y'],
    ] as const)
      await store.insert(pages, page(id, { title }))
    await store.insert(pages, page('e', { space: 't', title: 'x' }))
    const ids = async (reader: Store, stretch: Partial<PageRange>) => {
      const { documents, count, more } = await reader.page(pages, 'byTitle', 's', {
        limit: 10,
        direction: 'asc',
        ...stretch,
      })
      return [documents.map(({ id }) => id).join(''), count, more]
    }
    for (const open of [async () => store, reopen]) {
      const again = await open()
      assert.equal(await ids(again, {}), ['bacd', 4, false])
      assert.equal(await ids(again, { limit: 2 }), ['ba', 4, true])
      assert.equal(await ids(again, { limit: 2, after: ['x', 'a'] }), ['cd', 4, false])
      assert.equal(await ids(again, { limit: 2, direction: 'desc' }), ['dc', 4, true])
      assert.equal(await ids(again, { direction: 'desc', after: ['x', 'b'] }), ['ab', 4, false])
      assert.equal(await ids(again, { after: ['zz', ''] }), ['', 4, false])
      assert.equal(await ids(again, { limit: 0 }), ['', 4, true])
      assert.equal(await again.page(pages, 'byTitle', 'none', { limit: 1, direction: 'asc' }), {
        documents: [],
        count: 0,
        more: false,
      })
    }
  })

  check('lists follow changes of documents, also inside a transaction', async (store) => {
    const of = async (reader: Reader, group: string) => {
      const { documents, count } = await reader.page(pages, 'byWeight', group, { limit: 10, direction: 'asc' })
      return `${documents.map(({ id, title = '' }) => id + title).join(' ')} / ${count}`
    }
    const a = await store.insert(pages, page('a', { weight: 10, tags: ['x'] }))
    const b = await store.insert(pages, page('b', { weight: 9, tags: ['x', 'y'] }))
    await store.insert(pages, page('c'))
    assert.equal([await of(store, 's'), await of(store, 'x'), await of(store, 'y')], ['b a / 2', 'b a / 2', 'b / 1'])
    await store.transact(async (tx) => {
      await tx.replace(pages, { ...b, weight: 11, tags: ['x'], title: '!' })
      await tx.insert(pages, page('d', { weight: 10, tags: ['y'] }))
      assert.equal([await of(tx, 's'), await of(tx, 'x'), await of(tx, 'y')], ['a d b! / 3', 'a b! / 2', 'd / 1'])
      await tx.remove(pages, 'a')
      assert.equal([await of(tx, 's'), await of(tx, 'x')], ['d b! / 2', 'b! / 1'])
      assert.is(await of(store, 'x'), 'b a / 2')
      await tx.insert(pages, { ...a, title: '?' })
    })
    assert.equal(
      [await of(store, 's'), await of(store, 'x'), await of(store, 'y')],
      ['a? d b! / 3', 'a? b! / 2', 'd / 1'],
    )
    assert.instance(await thrown(store.insert(pages, { ...page('e'), weight: [] as never })), TypeError)
    assert.is(await store.get(pages, 'e'), null)
  })

  check('orders sort numbers first, then strings of any length by UTF-16 code units', async (store, reopen) => {
    const long = 'x'.repeat(3000)
    const titles = [
      '',
      '\0',
      '\0\0',
      '\u0001',
      '\u0001\0',
      'a',
      'a\0',
      'a\0b',
      'a\u0001',
      'B',
      'é',
      '\u07ff',
      '\u0800',
      '\ud7ff',
      '\ud800',
      '\ud83d\ude00',
      '\udfff',
      '\ue000',
      '\uffff',
      '\uffff\uffff',
    ]
    const all = [...titles, ...titles.map((title) => long + title), long.slice(1)]
    await store.transact(async (tx) => {
      for (const [n, title] of all.entries())
        for (const id of [`${n}a`, `${n}\0`]) await tx.insert(pages, page(id, { title }))
    })
    const weights = [5e-324, -5e-324, 0, -0.5, 0.5, -1, 1, 9, 10, -1e300, 1e300, Number.MAX_SAFE_INTEGER]
    for (const weight of weights) await store.insert(pages, page(`w${weight}`, { space: 'w', weight }))
    const again = await reopen()
    const expected = [...(await again.find(pages, 'bySpace', 's'))].sort((a, b) =>
      compareSortKeys([a.title ?? '', a.id], [b.title ?? '', b.id]),
    )
    for (const direction of ['asc', 'desc'] as const) {
      const ids = (documents: readonly Page[]): string[] => documents.map(({ id }) => id)
      const sign = direction === 'asc' ? 1 : -1
      const sorted = direction === 'asc' ? expected : expected.toReversed()
      const whole = await again.page(pages, 'byTitle', 's', { limit: 1000, direction })
      assert.equal(ids(whole.documents), ids(sorted))
      for (const [n, { id, title = '' }] of sorted.entries()) {
        const { documents } = await again.page(pages, 'byTitle', 's', { limit: 2, direction, after: [title, id] })
        assert.equal(ids(documents), ids(sorted.slice(n + 1, n + 3)))
      }
      const found = await again.page(pages, 'byWeight', 'w', { limit: 100, direction })
      assert.equal(
        found.documents.map(({ weight }) => weight),
        weights.toSorted((a, b) => sign * (a - b)),
      )
    }
  })

  check('a duplicate ID or unique key is rejected', async (store, reopen) => {
    const a = await store.insert(pages, page('a', { slug: 'one' }))
    await store.insert(pages, page('b', { slug: 'two' }))
    for (const open of [async () => store, reopen]) {
      const again = await open()
      const taken = (await thrown(again.insert(pages, page('c', { slug: 'one' })))) as DuplicateKey
      assert.instance(taken, DuplicateKey)
      assert.equal([taken.table, taken.index, taken.key], ['pages', 'bySlug', 's/one'])
      assert.is(((await thrown(again.insert(pages, page('a', { slug: 'new' })))) as DuplicateKey).index, 'id')
      assert.instance(await thrown(again.replace(pages, { ...a, slug: 'two' })), DuplicateKey)
      assert.is((await again.all(pages)).length, 2)
    }
  })

  check('a removed document frees its unique key', async (store) => {
    const a = await store.insert(pages, page('a', { slug: 'one' }))
    await store.replace(pages, { ...a, slug: 'two' })
    await store.insert(pages, page('b', { slug: 'one' }))
    await store.remove(pages, 'a')
    await store.insert(pages, page('c', { slug: 'two' }))
  })

  check('a transaction commits completely or not at all', async (store, reopen) => {
    await store.insert(pages, page('a'))
    const error = await thrown(
      store.transact(async (tx) => {
        await tx.insert(pages, page('b'))
        await tx.remove(pages, 'a')
        throw new Error('changed my mind')
      }),
    )
    assert.is((error as Error).message, 'changed my mind')
    assert.equal(
      (await store.all(pages)).map(({ id }) => id),
      ['a'],
    )
    const result = await store.transact(async (tx) => {
      await tx.insert(pages, page('b'))
      await tx.remove(pages, 'a')
      return 42
    })
    assert.is(result, 42)
    assert.equal(
      (await (await reopen()).all(pages)).map(({ id }) => id),
      ['b'],
    )
  })

  check('only a transaction itself sees its uncommitted writes', async (store) => {
    const a = await store.insert(pages, page('a', { tags: ['x'] }))
    await store.insert(pages, page('b', { tags: ['x'] }))
    await store.transact(async (tx) => {
      await tx.replace(pages, { ...a, tags: ['y'] })
      await tx.insert(pages, page('c', { tags: ['x'] }))
      await tx.remove(pages, 'b')
      assert.equal(
        (await tx.find(pages, 'byTag', 'x')).map(({ id }) => id),
        ['c'],
      )
      assert.equal([await tx.count(pages, 'byTag', 'x'), await tx.count(pages, 'byTag', 'y')], [1, 1])
      assert.is(await tx.get(pages, 'b'), null)
      assert.equal((await tx.all(pages)).map(({ id }) => id).sort(), ['a', 'c'])
      assert.is(await store.count(pages, 'byTag', 'x'), 2)
      assert.is((await store.get(pages, 'a'))?.version, 1)
    })
    assert.is(await store.count(pages, 'byTag', 'x'), 1)
  })

  check('concurrent transactions lose no update', async (store) => {
    await store.insert(pages, page('counter', { title: '0' }))
    const add = () =>
      store.transact(async (tx) => {
        const counter = (await tx.get(pages, 'counter'))!
        await new Promise((done) => setImmediate(done))
        await tx.replace(pages, { ...counter, title: String(Number(counter.title) + 1) })
      })
    await Promise.all(Array.from({ length: 50 }, add))
    assert.equal(await store.get(pages, 'counter'), {
      id: 'counter',
      version: 51,
      space: 's',
      slug: 'counter',
      title: '50',
    })
  })

  check('one of many replacements of the same version succeeds', async (store) => {
    const a = await store.insert(pages, page('a'))
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => thrown(store.replace(pages, { ...a, title: String(n) }))),
    )
    assert.is(outcomes.filter((error) => error === undefined).length, 1)
    assert.is(outcomes.filter((error) => error instanceof StaleDocument).length, 19)
  })

  check('documents are returned as frozen copies', async (store) => {
    const tags = ['x']
    const made = await store.insert(pages, page('a', { tags }))
    tags.push('y')
    assert.equal(made.tags, ['x'])
    assert.throws(() => made.tags?.push('z'), TypeError)
    assert.throws(() => ((made as { title?: string }).title = 'no'), TypeError)
    assert.equal((await store.get(pages, 'a'))?.tags, ['x'])
  })

  check('undefined members are dropped, and values that JSON would change are rejected', async (store) => {
    const made = await store.insert(pages, { ...page('a'), title: undefined } as unknown as Page)
    assert.is('title' in made, false)
    const cycle: unknown[] = []
    cycle.push(cycle)
    for (const bad of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      () => 1,
      new Date(),
      [undefined],
      1n,
      Symbol('s'),
      new Map(),
      cycle,
    ]) {
      assert.instance(await thrown(store.insert(pages, { ...page('bad'), title: bad } as never)), TypeError)
    }
    assert.instance(await thrown(store.insert(pages, { space: 's', slug: 'no id' } as never)), TypeError)
    assert.is((await store.all(pages)).length, 1)
  })

  check('IDs, owners and keys can be any string', async (store, reopen) => {
    const odd = [
      '',
      ' ',
      '.',
      '..',
      '../../x',
      '/etc/passwd',
      '__proto__',
      'constructor',
      'A',
      'a',
      'con',
      'ü\u0000',
      '\ud800',
      '\udfff',
      '😀'.repeat(200),
      'x'.repeat(5000),
    ]
    for (const text of odd) await store.insert(pages, page(text, { space: text, tags: [text] }))
    const again = await reopen()
    for (const text of odd) {
      assert.is((await again.get(pages, text))?.space, text)
      assert.equal(
        (await again.find(pages, 'byTag', text)).map(({ id }) => id),
        [text],
      )
    }
    assert.is((await again.all(pages)).length, odd.length)
  })

  check('a member named __proto__ is stored', async (store, reopen) => {
    await store.insert(pages, JSON.parse('{"id":"a","space":"s","slug":"a","title":{"__proto__":{"x":1}}}') as Page)
    assert.is(JSON.stringify((await (await reopen()).get(pages, 'a'))?.title), '{"__proto__":{"x":1}}')
  })

  check('a document can move from one owner to another', async (store, reopen) => {
    const a = await store.insert(pages, page('a', { space: 'one' }))
    const again = await reopen()
    await again.replace(pages, { ...a, space: 'two' })
    const third = await reopen()
    assert.equal([await third.count(pages, 'bySpace', 'one'), await third.count(pages, 'bySpace', 'two')], [0, 1])
  })

  check('a transaction ends with its callback', async (store) => {
    let kept: Parameters<Parameters<Store['transact']>[0]>[0] | undefined
    await store.transact(async (tx) => void (kept = tx))
    assert.match(String(await thrown(kept!.insert(pages, page('late')))), /has ended/)
    assert.match(String(await thrown(store.transact(() => store.insert(pages, page('inner'))))), /within a transaction/)
    assert.equal(await store.all(pages), [])
  })

  check('a closed store rejects new work and finishes running work', async (store, reopen) => {
    const begun = store.insert(pages, page('a'))
    const closing = store.close()
    assert.instance(await thrown(store.insert(pages, page('b'))), StoreClosed)
    assert.instance(await thrown(store.get(pages, 'a')), StoreClosed)
    await begun
    await closing
    assert.equal(
      (await (await reopen()).all(pages)).map(({ id }) => id),
      ['a'],
    )
  })

  const add = (store: Store, of: string, from: number, to: number): Promise<void> =>
    store.transact(async (tx) => {
      for (let n = from; n < to; n++) await tx.append(entries, of, () => entry(of, n))
    })
  const numbers = async (reader: Reader, of: string, query: Partial<JournalQuery<Entry>> = {}) => {
    const { records, next } = await reader.read(entries, of, { direction: 'asc', limit: 1000, ...query })
    for (const { position, record } of records) assert.is(position, record.n + 1)
    return [records.map(({ record }) => record.n).join(' '), next]
  }

  check(
    'journal records are numbered by group and read in both directions from any position',
    async (store, reopen) => {
      // Over several days with restarts: records are spread over two files and the log.
      await add(store, 'a', 0, 20)
      const second = await reopen()
      await add(second, 'b', 0, 3)
      await add(second, 'a', 20, 30)
      const third = await reopen()
      await add(third, 'a', 30, 60)
      for (const open of [async () => third, reopen]) {
        const again = await open()
        assert.equal(await again.extent(entries, 'a'), { count: 60, next: 61 })
        assert.equal((await again.groups(entries)).sort(), ['a', 'b'])
        assert.equal(await numbers(again, 'a'), [Array.from({ length: 60 }, (_, n) => n).join(' '), null])
        assert.equal(await numbers(again, 'a', { limit: 3, direction: 'desc' }), ['59 58 57', 58])
        assert.equal(await numbers(again, 'a', { limit: 4, direction: 'desc', after: 22 }), ['20 19 18 17', 18])
        assert.equal(await numbers(again, 'a', { limit: 4, after: 22 }), ['22 23 24 25', 26])
        assert.equal(await numbers(again, 'a', { limit: 4, after: 56 }), ['56 57 58 59', null])
        assert.equal(await numbers(again, 'a', { limit: 2, direction: 'desc', after: 3 }), ['1 0', null])
        assert.equal(await numbers(again, 'a', { from: hour(23), to: hour(25) }), ['23 24 25', null])
        assert.equal(await numbers(again, 'a', { matches: ({ n }) => n % 25 === 0, direction: 'desc' }), [
          '50 25 0',
          null,
        ])
        assert.equal(await numbers(again, 'a', { matches: ({ n }) => n === 5, direction: 'desc', most: 10 }), ['', 51])
        assert.equal(
          await numbers(again, 'a', { matches: ({ n }) => n === 5, direction: 'desc', most: 50, after: 51 }),
          ['5', null],
        )
        assert.equal(await numbers(again, 'none'), ['', null])
        assert.equal(await numbers(again, 'b'), ['0 1 2', null])
      }
    },
  )

  check('a journal record is added with the documents of its transaction or not at all', async (store) => {
    await add(store, 'a', 0, 2)
    const error = await thrown(
      store.transact(async (tx) => {
        await tx.insert(pages, page('a'))
        assert.equal(await tx.append(entries, 'a', (position) => entry('a', position - 1)), entry('a', 2))
        assert.equal(await numbers(tx, 'a', { direction: 'desc', limit: 2 }), ['2 1', 2])
        assert.equal(
          [await tx.extent(entries, 'a'), await store.extent(entries, 'a')],
          [
            { count: 3, next: 4 },
            { count: 2, next: 3 },
          ],
        )
        throw new Error('changed my mind')
      }),
    )
    assert.is((error as Error).message, 'changed my mind')
    assert.equal(await numbers(store, 'a'), ['0 1', null])
    const many = Array.from({ length: 30 }, () =>
      store.transact((tx) => tx.append(entries, 'a', (position) => entry('a', position - 1))),
    )
    assert.equal(
      new Set((await Promise.all(many)).map(({ n }) => n)),
      new Set(Array.from({ length: 30 }, (_, n) => n + 2)),
    )
    assert.instance(await thrown(store.transact((tx) => tx.append(entries, 'b', () => entry('a', 0)))), TypeError)
  })

  check('a journal group starts at a given position and counts from there', async (store, reopen) => {
    const append = (to: Store, least?: number): Promise<Entry> =>
      to.transact((tx) => tx.append(entries, 'a', (position) => entry('a', position - 1), least))
    await store.transact(async (tx) => {
      assert.is((await tx.append(entries, 'a', (position) => entry('a', position - 1), 800)).n, 799)
      assert.equal(await tx.extent(entries, 'a'), { count: 1, next: 801 })
    })
    assert.equal(await store.extent(entries, 'a'), { count: 1, next: 801 })
    // Records that were already counted are not counted again.
    await append(store, 5)
    const again = await reopen()
    await append(again)
    assert.equal(await again.extent(entries, 'a'), { count: 3, next: 803 })
    assert.is(await again.drop(entries, 'a', 801), 1)
    const third = await reopen()
    assert.equal(
      [await numbers(third, 'a'), await third.extent(entries, 'a')],
      [['800 801', null], { count: 2, next: 803 }],
    )
  })

  check('old journal records can be dropped permanently, and numbering continues', async (store, reopen) => {
    await add(store, 'a', 0, 40)
    const again = await reopen()
    assert.is(await again.drop(entries, 'a', 31), 30)
    assert.is(await again.drop(entries, 'a', 31), 0)
    assert.equal(
      [await numbers(again, 'a', { limit: 2 }), await again.extent(entries, 'a')],
      [['30 31', 32], { count: 10, next: 41 }],
    )
    const third = await reopen()
    assert.equal(await numbers(third, 'a', { limit: 2 }), ['30 31', 32])
    assert.is(await third.drop(entries, 'a', 1000), 10)
    await (await reopen()).transact((tx) => tx.append(entries, 'a', (position) => entry('a', position - 1)))
    assert.equal(await numbers(await reopen(), 'a'), ['40', null])
  })

  test.run()
}
