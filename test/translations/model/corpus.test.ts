/**
 * A translated repository through random edits of its source, with corrections by people: nothing is overwritten, nothing is missing, and only
 * changed blocks are sent. A small one is made here; `TRANSLATION_CORPUS` (a bundle) with `TRANSLATION_BRANCH`, `TRANSLATION_STEPS` and
 * `TRANSLATION_SEED` takes another one.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { settled } from '../../openapi/fixture.js'
import { createBareRepository } from '../../support/bare-repository.js'
import { git } from '../../support/hermetic-git.js'
import { suiteWith } from '../../support/suite.js'
import { translationService } from '../fixture.js'
import { type Clone, cloneOf, type Edit, editAtRandom, prose } from './corpus-clone.js'
import { dice } from './marked.js'

const { TRANSLATION_CORPUS, TRANSLATION_BRANCH = 'main', TRANSLATION_STEPS = '12', TRANSLATION_SEED = '1' } = process.env
/** Texts that one edit may send: a paragraph, or the title of a page (in the page and in SUMMARY.md), its link and its text. */
const MOST_SENT = 4

const [test, here] = await suiteWith('translations/model/corpus', () => translationService('deepl', { BINDERY_REMOTE_PROTOCOLS: 'file,https' }))

interface Correction {
  page: string
  /** The paragraph of the source that it translates. */
  of: string
  text: string
}

const sentence = (page: number, n: number): string => `This is sentence ${'abcdefgh'[n]} of the page ${'abcdefgh'[page]}, which says plain words.`
const small = (): Record<string, string> => {
  const pages = [0, 1, 2, 3, 4, 5].map((page) => [
    `folder/page-${page}.md`,
    `# Page ${page}\n\n${[0, 1, 2, 3, 4].map((n) => sentence(page, n)).join('\n\n')}\n`,
  ])
  const summary = `# Summary\n\n* [Home](README.md)\n${pages.map(([path], n) => `* [Page ${n}](${path})\n`).join('')}`
  return {
    'README.md': '# Home\n\nThe first page of all of these.\n',
    'SUMMARY.md': summary,
    '.gitbook/assets/a.txt': 'as it is',
    ...Object.fromEntries(pages),
  }
}

/** A new space that has the repository. */
async function imported(): Promise<string> {
  const path = join(here.dir, 'corpus.git')
  const remote = await createBareRepository(path, TRANSLATION_CORPUS ? { fromBundle: TRANSLATION_CORPUS } : {})
  if (!TRANSLATION_CORPUS) await remote.commit(small())
  const { id } = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Corpus', language: 'en' }).expect(201)).body
  await here.admin.call('post', `/v1/spaces/${id}/git/import`, { url: `file://${path}`, ref: `refs/heads/${TRANSLATION_BRANCH}` }).expect(204)
  await settled(here)
  assert.is((await here.admin.call('get', `/v1/spaces/${id}/git/info`).expect(200)).body.state, 'success')
  return id
}

/** Corrects a paragraph of the result whose source is known; null if the one that was chosen is not. */
async function correct(result: Clone, source: Clone, roll: (below: number) => number, n: number): Promise<Correction | null> {
  const all = (await result.pages()).map((page) => ({ page, at: prose(result.text(page)) })).filter(({ at }) => at.length > 0)
  const chosen = all[roll(all.length)]
  if (!chosen || !existsSync(join(source.dir, chosen.page))) return null
  const lines = result.text(chosen.page).split('\n')
  const at = chosen.at[roll(chosen.at.length)] as number
  const of = source
    .text(chosen.page)
    .split('\n')
    .find((line) => line.toUpperCase() === lines[at])
  if (of === undefined) return null
  const text = `Corregido ${n}: ${lines[at]}`
  writeFileSync(join(result.dir, chosen.page), lines.with(at, text).join('\n'))
  await result.push('Correct')
  return { page: chosen.page, of, text }
}

/** The corrections that an edit of the source leaves, where they are now. */
const leftBy = ({ kind, page, gone, now }: Edit, all: Correction[]): Correction[] =>
  all.flatMap((one) => (one.page !== page ? [one] : now === null || gone.includes(one.of) ? [] : [{ ...one, page: kind === 'rename' ? now : page }]))

async function check(source: Clone, result: Clone, corrections: readonly Correction[], said: string): Promise<void> {
  await Promise.all([source.refresh(), result.refresh()])
  const files = await source.files()
  assert.equal((await result.files()).sort(), [...files].sort(), said)
  for (const { page, text } of corrections) assert.ok(result.text(page).split(/\r?\n/).includes(text), `${said}: a correction in ${page} is gone: ${text}`)
  for (const path of files.filter((one) => !one.endsWith('.md')))
    assert.ok(readFileSync(join(source.dir, path)).equals(readFileSync(join(result.dir, path))), `${said}: ${path}`)
}

test(`seed ${TRANSLATION_SEED}, ${TRANSLATION_STEPS} steps`, async () => {
  const roll = dice(Number(TRANSLATION_SEED))
  const id = await imported()
  const made = await here.create(id)
  assert.is(made.status, 'completed', JSON.stringify(made.error))
  const repository = (space: string): string => join(here.dir, 'repos', `${space}.git`)
  const [source, result] = [await cloneOf(repository(id), join(here.dir, 'clone-a')), await cloneOf(repository(made.result.space), join(here.dir, 'clone-b'))]
  let corrections: Correction[] = []
  for (let step = 0; step < Number(TRANSLATION_STEPS); step++) {
    const correction = step % 2 === 1 ? await correct(result, source, roll, step) : null
    if (correction) corrections.push(correction)
    const edit = await editAtRandom(source, roll, step)
    if (!edit) break
    corrections = leftBy(edit, corrections)
    const said = `seed ${TRANSLATION_SEED}, step ${step}, ${edit.kind} ${edit.page}`
    const before = here.engine.texts.length
    const ran = await here.run(made.id)
    assert.is(ran.status, 'completed', `${said}: ${JSON.stringify(ran.error)}`)
    const known = new Set(here.engine.texts.slice(0, before))
    const sent = here.engine.texts.slice(before)
    assert.equal(
      sent.filter((text) => known.has(text)),
      [],
      `${said}: sent again`,
    )
    assert.ok(sent.length <= MOST_SENT, `${said}: ${sent.length} texts were sent`)
    await check(source, result, corrections, said)
  }
  assert.ok(corrections.length > 0)
  const [head, sent] = [await git(repository(made.result.space), ['rev-parse', 'main']), here.engine.texts.length]
  await here.run(made.id)
  assert.equal([await git(repository(made.result.space), ['rev-parse', 'main']), here.engine.texts.length], [head, sent], 'a run without changes did something')
})

test.run()
