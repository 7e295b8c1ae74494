/**
 * Plays random stories of a source and its translation: edits, moves, renames, deletions and corrections. A model
 * predicts every file of the result to the byte. `TRANSLATION_STEPS` and `TRANSLATION_SEEDS` set the length.
 */
import * as assert from 'uvu/assert'
import { gitBytes } from '../../support/hermetic-git.js'
import { commitPlainly } from '../../support/plain-edit.js'
import { suiteWith } from '../../support/suite.js'
import { dice, turned } from './marked.js'
import { modelService } from './model-service.js'
import { Story } from './story.js'

const { TRANSLATION_STEPS = '40', TRANSLATION_SEEDS = '1', TRANSLATION_SEED = '1' } = process.env
const [test, here] = await suiteWith('translations/model/story', () => modelService())

/** All files of main. */
async function filesOf(repository: string): Promise<Record<string, string>> {
  const listed = (await gitBytes(repository, ['ls-tree', '-r', '-z', 'refs/heads/main']))
    .toString()
    .split('\0')
    .slice(0, -1)
  const entries = listed.map((line) => ({ oid: line.slice(12, 52), path: line.slice(53) }))
  const bytes = await gitBytes(
    repository,
    ['cat-file', '--batch=%(objectsize)'],
    entries.map(({ oid }) => `${oid}\n`).join(''),
  )
  let at = 0
  return Object.fromEntries(
    entries.map(({ path }) => {
      const begin = bytes.indexOf('\n', at) + 1
      const end = begin + Number(bytes.toString('latin1', at, begin))
      at = end + 1
      return [path, bytes.toString('utf8', begin, end)]
    }),
  )
}

/** The writes that turn `before` into `after`. */
function difference(before: Record<string, string>, after: Record<string, string>): Record<string, string | null> {
  const changed = Object.entries(after).filter(([path, text]) => before[path] !== text)
  return {
    ...Object.fromEntries(changed),
    ...Object.fromEntries(Object.keys(before).flatMap((path) => (path in after ? [] : [[path, null]]))),
  }
}

const pagesOf = async (space: string): Promise<unknown> => {
  const { body } = await here.service.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  const shape = (pages: { id: string; pages?: unknown; slug?: string; type: string }[]): unknown[] =>
    pages.map(({ id, type, pages: below }) => [type === 'document' ? id : type, shape((below ?? []) as never)])
  return shape(body.pages)
}

for (let n = 0; n < Number(TRANSLATION_SEEDS); n++) {
  const seed = Number(TRANSLATION_SEED) + n
  test(`every file of a translation matches the model after random edits (seed ${seed})`, async () => {
    const story = new Story(seed, 8)
    const roll = dice(seed + 1_000)
    const source = await here.space('Source')
    let written = {}
    const commit = async (): Promise<void> => {
      const change = difference(written, story.source())
      if (Object.keys(change).length > 0) await commitPlainly(source.repository, change)
      written = story.source()
    }
    here.engine.sent.length = 0
    await commit()
    const made = await here.translate(source.id, 'fr')
    const said: string[] = []
    const check = async (): Promise<void> => {
      const got = await filesOf(made.repository)
      for (const [path, text] of Object.entries(story.result()))
        assert.is(got[path], text, `seed ${seed}, ${path}, after ${said.join(', ')}`)
      assert.equal(
        Object.keys(got).filter((path) => !(path in story.result())),
        ['README.md'].filter((path) => path in got),
      )
      assert.equal(
        await pagesOf(made.result.space),
        await pagesOf(source.id),
        `seed ${seed}, pages, after ${said.join(', ')}`,
      )
      // The memory and the ledger: nothing is sent twice.
      assert.equal(
        here.engine.sent.filter((text, at) => here.engine.sent.indexOf(text) !== at),
        [],
      )
      // Sent texts come from the source, not from a correction.
      assert.equal(
        here.engine.sent.filter((text) => text.includes(turned('Corrected'))),
        [],
      )
    }
    await check()
    for (let left = Number(TRANSLATION_STEPS); left > 0; ) {
      for (let more = 1 + roll(4); more > 0; more--, left--) said.push(story.step())
      await commit()
      const correction = roll(2) === 0 ? null : story.correct()
      if (correction !== null) {
        // The page may already have another name in the source, which the result does not know yet.
        const files = await filesOf(made.repository)
        const path = Object.keys(files).find((name) => files[name]?.includes(correction.from))
        if (path === undefined) story.forget(correction.to)
        else {
          said.push('correct')
          await commitPlainly(made.repository, {
            [path]: (files[path] as string).replace(correction.from, correction.to),
          })
        }
      }
      assert.is((await here.run(made.id)).status, 'completed')
      await check()
    }
    const head = await gitBytes(made.repository, ['rev-parse', 'refs/heads/main'])
    const sent = here.engine.sent.length
    assert.is((await here.run(made.id)).status, 'completed')
    assert.equal(
      await gitBytes(made.repository, ['rev-parse', 'refs/heads/main']),
      head,
      'a run with nothing to do makes no commit',
    )
    assert.is(here.engine.sent.length, sent)
  })
}

test.run()
