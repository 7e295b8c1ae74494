/** Tests that every kind of block is translated exactly, to the byte, in pages with LF and CRLF. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../../support/hermetic-git.js'
import { commitPlainly } from '../../support/plain-edit.js'
import { suiteWith } from '../../support/suite.js'
import { BLOCKS, dice, sourceOf, translationOf, wording } from './marked.js'
import { modelService } from './model-service.js'

const [test, here] = await suiteWith('translations/model/blocks', () => modelService())

test('each kind of block is translated exactly on a page of only that kind', async () => {
  const words = wording(dice(1))
  const blocks = BLOCKS.map((make) => make(words))
  const files = Object.fromEntries(
    blocks.flatMap((block, n) => [
      [`kind-${n}.md`, `# «${words()}»\n\n${block}\n`],
      [
        `crlf-${n}.md`,
        `---\r\ndescription: «${words()}»\r\nicon: gear\r\n---\r\n\r\n# «${words()}»\r\n\r\n${block.replaceAll('\n', '\r\n')}\r\n`,
      ],
    ]),
  )
  files['SUMMARY.md'] = `# «Summary»\n\n${Object.keys(files)
    .map((path) => `* [«${words()}»](${path})`)
    .join('\n')}\n`
  const source = await here.space('Source')
  await commitPlainly(
    source.repository,
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, sourceOf(text)])),
  )
  const made = await here.translate(source.id, 'fr')
  const wrong: string[] = []
  for (const [path, marked] of Object.entries(files)) {
    const got = (await git(join(made.repository), ['cat-file', '-p', `refs/heads/main:${path}`])).trim()
    const wanted = translationOf(marked).trim()
    if (got !== wanted)
      wrong.push(
        `${path}\nsource: ${JSON.stringify(sourceOf(marked))}\nwanted: ${JSON.stringify(wanted)}\ngot:    ${JSON.stringify(got)}`,
      )
  }
  assert.equal(wrong, [])
})

test.run()
