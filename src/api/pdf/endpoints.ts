/** Endpoints of PDFs: clients request the address of a PDF and download it there. */
import { createReadStream } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { openPdf, requestPdf } from '../../domain/pdf/pdfs.js'
import { openShown } from '../../domain/revisions/computed.js'
import { getPage } from '../../domain/revisions/pages.js'
import { headOf } from '../../domain/revisions/main-content.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { badRequest } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { Id, PdfAddress } from '../../model/index.js'
import { binary } from '../declaration.js'
import { reply, stream } from '../reply.js'
import { endpoint } from '../service.js'
import { defined } from '../../kernel/defined.js'

const section = 'PDF'
/** Seconds until the client should request the PDF again. */
const RETRY_SECONDS = '2'

const query = Type.Object({
  page: Type.Optional(
    Type.String({ ...Id, description: 'ID of a page. The PDF contains this page and its subpages.' }),
  ),
  only: Type.Optional(
    Type.Boolean({ description: 'The PDF contains only the page, without cover and table of contents.' }),
  ),
})
const description =
  'The address is signed, needs no token, and expires after one to two days. Until the file is ready, it responds with 202 and `Retry-After`, then with ' +
  'the file; 409 contains the reason if the file cannot be created. Hidden pages, pages and blocks with a condition, links and drafts are left out; ' +
  'computed pages are included.'

/** Throws 400 if `only` is set without `page`, 404 if the page does not exist. */
async function address(
  app: App,
  space: LoadedSpace,
  revision: CommitId,
  { page, only }: { page?: string; only?: boolean },
  changeRequest?: string,
) {
  if (only && page === undefined)
    throw badRequest('The request is invalid: query/only requires query/page.', [
      { path: 'query/page', message: 'is required with only' },
    ])
  if (page !== undefined) getPage(await openShown(app, space, revision, changeRequest !== undefined), page)
  return requestPdf(app, {
    space: space.doc.id,
    revision,
    ...defined({ page }),
    ...(only ? { only } : {}),
    ...defined({ changeRequest }),
  })
}

export const getSpacePDF = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/pdf',
  summary: 'Get the address of a PDF of the content',
  description,
  section,
  needs: 'space:view',
  query,
  returns: PdfAddress,
  fails: [503],
  handle: ({ app, space, query }) => address(app, space, headOf(space), query),
})

export const getChangeRequestPDF = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf',
  summary: 'Get the address of a PDF of the content of a change request',
  description,
  section,
  needs: 'space:view',
  query,
  returns: PdfAddress,
  fails: [503],
  handle: ({ app, space, changeRequest, query }) =>
    address(app, space, changeRequest.head, query, changeRequest.doc.id),
})

export const downloadPDF = endpoint({
  method: 'GET',
  path: '/v1/pdf/{downloadSpace}/{printedRevision}/{fileName}',
  summary: 'Download a PDF by its signed URL',
  description:
    'The address is the `url` that a request for a PDF returns. It needs no token. If the response is 202, the PDF is being created: request it again after ' +
    '`Retry-After` seconds.',
  section,
  needs: 'public',
  query: Type.Object({
    page: Type.Optional(Type.String({ maxLength: 100 })),
    only: Type.Optional(Type.Boolean()),
    changeRequest: Type.Optional(Type.String({ maxLength: 100 })),
    expires: Type.Integer({ minimum: 0 }),
    signature: Type.String({ maxLength: 100 }),
  }),
  returns: binary('application/pdf'),
  fails: [409, 503],
  handle: async ({ app, downloadSpace, printedRevision, fileName, query: { signature, ...rest } }) => {
    const kept = await openPdf(
      app,
      { space: downloadSpace, revision: printedRevision, name: fileName, ...rest },
      signature,
    )
    if (!kept) return reply<never>({ status: 202, headers: { 'Retry-After': RETRY_SECONDS } })
    return stream({
      contentType: 'application/pdf',
      size: kept.bytes,
      streamed: true,
      open: (range) => createReadStream(kept.path, range),
      fileName,
      disposition: 'attachment',
    })
  },
})
