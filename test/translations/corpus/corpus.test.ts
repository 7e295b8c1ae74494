/**
 * Translates a repository through random edits of its source, with corrections by people.
 * For a real one, from a bundle, path or URL: TRANSLATION_REPOSITORY=/a/docs.bundle npm test -- translations/corpus
 * Further options: TRANSLATION_BRANCH=main, TRANSLATION_STEPS=50, TRANSLATION_SEED=1.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { filesOf } from '../../support/files-of.js'
import { git } from '../../support/hermetic-git.js'
import { commitPlainly } from '../../support/plain-edit.js'
import { suiteWith } from '../../support/suite.js'
import { turned } from '../model/marked.js'
import { modelService } from '../model/model-service.js'
import { Story } from '../model/story.js'
import { linesOf } from './paragraphs.js'
import { type Edit, Wandering } from './wandering.js'

const { TRANSLATION_REPOSITORY: given, TRANSLATION_BRANCH = 'main', TRANSLATION_SEED = '1' } = process.env
const STEPS = Number(process.env.TRANSLATION_STEPS ?? (given === undefined ? 20 : 50))
const MAIN = 'refs/heads/main'
const [test, here] = await suiteWith('translations/corpus', () =>
  modelService({ BINDERY_REMOTE_PROTOCOLS: 'file,https', BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' }),
)

interface Correction {
  path: string
  source: string
  text: string
}

/** A space with the given repository, or with a small one. */
async function filled(): Promise<{ id: string; repository: string }> {
  const space = await here.space('Corpus')
  if (given === undefined) {
    await commitPlainly(space.repository, new Story(Number(TRANSLATION_SEED), 12).source())
    return space
  }
  // A remote operation cannot read a bundle.
  const clone = join(here.service.dir, 'remote.git')
  await git('/', ['clone', '--quiet', '--bare', given, clone])
  const url = `file://${clone}`
  await here.service.admin
    .call('post', `/v1/spaces/${space.id}/git/import`, { url, ref: `refs/heads/${TRANSLATION_BRANCH}` })
    .expect(204)
  for (;;) {
    const { body } = await here.service.admin.call('get', `/v1/spaces/${space.id}/git/info`).expect(200)
    if (body.state === 'success') return space
    assert.ok(['queued', 'running'].includes(body.state), JSON.stringify(body))
    await sleep(50)
  }
}

/** The translated text under each correction, for a comparison with a translation without corrections. */
function uncorrected(text: string, corrections: readonly Correction[]): string {
  return corrections.reduce((left, { text: corrected, source }) => left.replace(corrected, turned(source)), text)
}

test(
  `a translated repository loses and overwrites nothing in ${STEPS} edits`,
  async () => {
    const source = await filled()
    const made = await here.translate(source.id, 'fr')
    assert.is(made.status, 'completed', JSON.stringify(made.error))
    const wandering = new Wandering(await filesOf(source.repository, MAIN), Number(TRANSLATION_SEED))
    const known = new Set(here.engine.sent)
    let corrections: Correction[] = []
    let count = 0

    /** A person changes a paragraph of the result. */
    async function correct(): Promise<void> {
      const { path, text, places } = wandering.page()
      const paragraph = linesOf(text)[places[wandering.roll(places.length)] as number] as string
      const before = (await filesOf(made.repository, MAIN)).get(path) ?? ''
      // Already corrected, or not a paragraph of the translation: in HTML, for example.
      if (linesOf(before).filter((line) => line === turned(paragraph)).length !== 1) return
      const correction = { path, source: paragraph, text: `Corrected ${++count}: ${turned(paragraph)}` }
      await commitPlainly(made.repository, { [path]: before.replace(turned(paragraph), correction.text) })
      corrections.push(correction)
    }

    function followed({ path, now, gone }: Edit): void {
      corrections = corrections.flatMap((one) => {
        if (one.path !== path) return [one]
        return now === null || gone.includes(one.source) ? [] : [{ ...one, path: now }]
      })
    }

    async function checked(said: string, news: number): Promise<void> {
      const sent = here.engine.sent.splice(0)
      assert.equal(
        sent.filter((text) => known.has(text)),
        [],
        `${said}: sent again`,
      )
      assert.is(sent.length, news, `${said}: sent ${JSON.stringify(sent.slice(0, 5))}`)
      for (const text of sent) known.add(text)
      const result = await filesOf(made.repository, MAIN)
      assert.equal([...result.keys()].sort(), [...wandering.files.keys()].sort(), said)
      for (const { path, text } of corrections)
        assert.ok(linesOf(result.get(path) ?? '').includes(text), `${said}: ${path} has lost ${text}`)
    }

    here.engine.sent.length = 0
    for (let step = 0; step < STEPS; step++) {
      if (step % 2 === 1) await correct()
      const edit = wandering.step()
      followed(edit)
      await commitPlainly(source.repository, edit.files)
      const ran = await here.run(made.id)
      const said = `seed ${TRANSLATION_SEED}, step ${step}, ${edit.kind} ${edit.path}`
      assert.is(ran.status, 'completed', `${said}: ${JSON.stringify(ran.error)}`)
      await checked(said, edit.news)
    }
    assert.ok(count > STEPS / 10, `${count} corrections`)

    const head = await git(made.repository, ['rev-parse', MAIN])
    await here.run(made.id)
    assert.is(await git(made.repository, ['rev-parse', MAIN]), head, 'a run with nothing to do makes no commit')
    await checked('a run with nothing to do', 0)

    // A translation of the same source without history has the same text, except for the corrections.
    const fresh = await here.translate(source.id, 'es')
    assert.is(fresh.status, 'completed', JSON.stringify(fresh.error))
    const expected = await filesOf(fresh.repository, MAIN)
    for (const [path, text] of await filesOf(made.repository, MAIN)) {
      const ofPage = corrections.filter((one) => one.path === path)
      assert.is(uncorrected(text, ofPage), expected.get(path), `seed ${TRANSLATION_SEED}: ${path}`)
    }
    assert.is(await git(made.repository, ['fsck', '--strict', '--no-dangling', '--no-progress']), '')
  },
  { timeoutMs: 1_800_000 },
)

test.run()
