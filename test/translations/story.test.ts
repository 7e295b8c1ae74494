import * as assert from 'uvu/assert'
import { runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { capitals } from './engine-server.js'
import { translationService } from './fixture.js'

const [test, here] = await suiteWith('translations/story', () => translationService('openai'))

/** A block of a page: the source text, and the correction of its translation by a person. */
interface Block {
  source: string
  human?: string
}
interface Page {
  id: string
  blocks: Block[]
}

const EDITS = runs(27, 300)
const SHAPES = [
  (n: string) => `Paragraph ${n} with **bold** and \`code\`.`,
  (n: string) => `## Heading ${n}`,
  (n: string) => `> Quote ${n} of [a link](https://example.org/${n}).`,
  (n: string) => `{% hint style="info" %}\nHint ${n} for {{ name }}.\n{% endhint %}`,
  (n: string) => `\`\`\`js\nconst kept = '${n}'\n\`\`\``,
  (n: string) => `* Item ${n}\n* Item second ${n}`,
  (n: string) => `| Cell ${n} |\n| --- |\n| cell other ${n} |`,
]

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const isCode = (block: string): boolean => block.startsWith('```')
/** The engine's rule for a block: text in capitals, the rest unchanged. */
const translated = (block: string): string =>
  isCode(block)
    ? block
    : block.replace(/\{%.*?%\}|\{\{.*?\}\}|`[^`]*`|\]\([^)]*\)|[^{`\]]+|./gs, (part) =>
        /^(?:\{|`|\]\()/.test(part) ? part : part.toUpperCase(),
      )

test(
  'a translated space follows random edits of its source and keeps corrections',
  async () => {
    const pick = numbers(7)
    const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T
    let next = 0
    // Spelled with letters, so that each is a separate word.
    const fresh = (): string =>
      (SHAPES[next % SHAPES.length] as (n: string) => string)(
        [...String(next++)].map((digit) => 'abcdefghij'[Number(digit)]).join(''),
      )
    const textOf = (blocks: readonly Block[]): string => `${blocks.map(({ source }) => source).join('\n\n')}\n`
    const expectedOf = (blocks: readonly Block[]): string =>
      `${blocks.map(({ source, human }) => human ?? translated(source)).join('\n\n')}\n`
    const made = (count: number): Block[] => Array.from({ length: count }, () => ({ source: fresh() }))
    const first = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [
        `page-${'abcdefgh'[n]}`,
        [{ source: `# page-${'abcdefgh'[n]}` }, ...made(8)],
      ]),
    )
    const source = await here.source(
      Object.fromEntries(Object.entries(first).map(([name, blocks]) => [name, textOf(blocks)])),
    )
    const translation = await here.create(source)
    assert.is(translation.status, 'completed', JSON.stringify(translation.error))
    const { space } = translation.result
    const ids = await here.pages(source)
    const pages: Page[] = Object.entries(first).map(([name, blocks]) => ({ id: ids[name]?.id as string, blocks }))
    const known = new Set(here.engine.texts)
    let corrections = 0
    for (let step = 0; step < EDITS; step++) {
      if (step % 3 === 2) corrections += (await correct(one(pages), step)) ? 1 : 0
      await edit(step)
      here.engine.texts.length = 0
      const ran = await here.run(translation.id)
      assert.equal([ran.status, ran.diagnostics], ['completed', []], `step ${step}: ${JSON.stringify(ran.error)}`)
      assert.equal(
        here.engine.texts.filter((text) => known.has(text)),
        [],
        `step ${step}: sent again`,
      )
      for (const text of here.engine.texts) known.add(text)
      if (step % 5 === 4 || step === EDITS - 1) await compare(step)
    }
    assert.ok(corrections > EDITS / 5, `${corrections} corrections`)
    assert.match(JSON.stringify(here.engine.requests.map(({ body }) => body)), 'Corrected')

    async function compare(step: number): Promise<void> {
      for (const { id, blocks } of pages) assert.is(await here.markdown(space, id), expectedOf(blocks), `step ${step}`)
      const found = Object.values(await here.pages(space)).map((page) => page.id)
      assert.equal(found.length, pages.length + 1, `step ${step}: pages`)
    }

    /** A person corrects a block of the result. */
    async function correct({ id, blocks }: Page, step: number): Promise<boolean> {
      const block = one(blocks.slice(1).filter(({ source: text }) => !text.includes('\n')))
      if (!block) return false
      block.human =
        `Corrected ${capitals(block.source)}`
          .replace('Corrected ## ', '## Corrected ')
          .replace('Corrected > ', '> Corrected ') + (step % 2 ? ' Sí.' : '')
      await here.edit(space, [{ operation: 'update_page', page: id, document: { markdown: expectedOf(blocks) } }])
      return true
    }

    async function edit(step: number): Promise<void> {
      const page = one(pages)
      const at = 1 + pick(Math.max(1, page.blocks.length - 1))
      const kind = pick(8)
      if (kind === 0) page.blocks.splice(at, 0, ...made(2))
      else if (kind === 1 && page.blocks.length > 3) page.blocks.splice(at, 1)
      else if (kind === 2) page.blocks.push(...page.blocks.splice(at, 1))
      else if (kind === 3)
        await here.edit(source, [{ operation: 'update_page', page: page.id, slug: `renamed-${step}` }])
      else if (kind === 4 && pages.length > 5) {
        pages.splice(pages.indexOf(page), 1)
        return here.edit(source, [{ operation: 'delete_page', page: page.id }])
      } else if (kind === 5) {
        const blocks = [{ source: '# New' }, ...made(3)]
        await here.edit(source, [
          { operation: 'insert_page', title: 'New', slug: `new-${step}`, document: { markdown: textOf(blocks) } },
        ])
        pages.push({ id: (await here.pages(source))[`new-${step}`]?.id as string, blocks })
        return
      } else page.blocks[at] = { source: fresh() }
      await here.edit(source, [
        { operation: 'update_page', page: page.id, document: { markdown: textOf(page.blocks) } },
      ])
    }
  },
  { timeoutMs: 300_000 },
)

test.run()
