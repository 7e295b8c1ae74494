/** Tests PDFs of generated pages, and of pages with specification blocks. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { entry, operation, put, spaceWith } from '../openapi/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type ReadPdf, readPdf } from './read-pdf.js'

const [test, here] = await suiteWith('pdf/specification', startService)

async function pdfOf(path: string): Promise<ReadPdf> {
  const { body } = await here.admin.call('get', path).expect(200)
  for (;;) {
    const response = await fetch(body.url)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status === 202) await sleep(200)
    else {
      assert.is(response.status, 200, bytes.toString().slice(0, 500))
      return readPdf(bytes)
    }
  }
}

test(
  'the PDF of a space contains its generated pages and filled blocks',
  async () => {
    await put(here, 'pets', {
      '/pets/{id}': {
        get: operation('Find one pet', ['Animals'], {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'Which pet it is' },
          ],
        }),
      },
    })
    const block =
      '# Home\n\n{% openapi-operation spec="pets" path="/pets/{id}" method="get" %}\n[fallback](https://example.com/x)\n{% endopenapi-operation %}\n'
    const desk = await spaceWith(here, entry('pets'), { 'README.md': block })
    const whole = await pdfOf(`/v1/spaces/${desk.space}/pdf`)
    assert.equal(
      whole.outline.filter(({ depth }) => depth === 0).map(({ title }) => title),
      ['Home', 'Animals'],
    )
    assert.is(whole.pages.join(' ').split('Which pet it is').length, 3)
    const { body } = await here.admin.call('get', `/v1/spaces/${desk.space}/content/pages?computed=false`).expect(200)
    const alone = await pdfOf(`/v1/spaces/${desk.space}/pdf?page=${body.pages[1].id}`)
    assert.match(alone.pages.join(' '), 'Find one pet')
    assert.not.match(alone.pages.join(' '), 'Home')
  },
  { timeoutMs: 180_000 },
)

test.run()
