import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openDesk } from './fixture.js'

const [test, here] = await suiteWith('writing pages as block trees', startService)

const PAGE = `---
icon:   bolt
---
# Home

*  an   odd bullet
-  another list

{% hint style=warning %}
Mind the __gap__.
{% endhint %}
[relative](sub/other.md)
`
const FILES = {
  'SUMMARY.md': '# T\n\n* [Home](README.md)\n* [Other](sub/other.md)\n',
  'README.md': PAGE,
  'sub/other.md': '# Other\n',
}

test('a new text in a block tree changes one line of one file', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('readme')
  const { body } = await desk.admin.call('get', `${desk.url}/content/page/${page}?format=document`).expect(200)
  const { document } = body
  const hint = document.nodes.find((node: { type: string }) => node.type === 'hint')
  hint.nodes[0].nodes[0].leaves[0].text = 'Watch the '
  await desk.write([{ operation: 'update_page', page, document: { document } }])
  assert.equal(await desk.changed(), ['M\tREADME.md'])
  assert.is(await desk.file('README.md'), PAGE.replace('Mind', 'Watch'))
  const lines = (await desk.git('diff', '--numstat', 'main^', 'main')).trim()
  assert.is(lines, '1\t1\tREADME.md')
})

test('writing an unchanged tree changes nothing', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('readme')
  const { body } = await desk.admin.call('get', `${desk.url}/content/page/${page}?format=document`).expect(200)
  await desk.write([{ operation: 'update_page', page, document: { document: body.document } }])
  assert.is(await desk.file('README.md'), PAGE)
})

test('a new page is written from a tree', async () => {
  const desk = await openDesk(here, FILES)
  const text = (value: string) => ({ object: 'text', leaves: [{ object: 'leaf', text: value, marks: [] }] })
  const nodes = [
    { object: 'block', type: 'heading-1', nodes: [text('New')] },
    {
      object: 'block',
      type: 'hint',
      data: { style: 'info' },
      nodes: [{ object: 'block', type: 'paragraph', nodes: [text('a *star* {% endhint %}')] }],
    },
  ]
  await desk.write([{ operation: 'insert_page', document: { document: { object: 'document', nodes } } }])
  assert.is(
    await desk.file('new.md'),
    '# New\n\n{% hint style="info" %}\na \\*star\\* \\{% endhint %}\n{% endhint %}\n',
  )
})

test('an invalid tree is rejected with its location, and nothing is written', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('readme')
  const before = await desk.git('rev-parse', 'main')
  const nodes = [{ object: 'block', type: 'hint', data: { style: 7 }, nodes: [] }]
  const response = await desk.write(
    [{ operation: 'update_page', page, document: { document: { object: 'document', nodes } } }],
    400,
  )
  assert.match(JSON.stringify(response), 'nodes/0/data/style: must be a string')
  assert.is(await desk.git('rev-parse', 'main'), before)
})

test.run()
