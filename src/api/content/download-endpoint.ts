/** The endpoint of a file's `downloadURL`. It serves the file, or a byte range of it, to anyone with the signed URL. */
import { Type } from '@sinclair/typebox'
import { contentTypeOf, isSafeInline } from '../../content/files.js'
import { openDownload } from '../../domain/revisions/downloads.js'
import { binary } from '../declaration.js'
import { stream } from '../reply.js'
import { endpoint } from '../service.js'

export const downloadFile = endpoint({
  method: 'GET',
  path: '/v1/files/{downloadSpace}/{oid}/{fileName}',
  summary: 'Download a file by its signed URL',
  description:
    'The address is the `downloadURL` of a file. It needs no token, expires, and supports byte ranges. Content types that a browser could execute are sent as attachments.',
  section: 'Space content',
  needs: 'public',
  query: Type.Object({ expires: Type.Integer({ minimum: 0 }), signature: Type.String({ maxLength: 100 }) }),
  returns: binary('application/octet-stream'),
  handle: async ({ app, downloadSpace, oid, fileName, query }) => {
    const content = await openDownload(
      app,
      { space: downloadSpace, oid, name: fileName, expires: query.expires },
      query.signature,
    )
    const contentType = contentTypeOf(fileName)
    const inline = isSafeInline(contentType)
    return stream({
      contentType: inline ? contentType : 'application/octet-stream',
      size: content.size,
      open: content.read,
      ...(content.streamed ? { streamed: true } : {}),
      etag: content.oid,
      fileName,
      disposition: inline ? 'inline' : 'attachment',
      cacheControl: content.changes ? 'private, no-cache' : 'private, max-age=86400, immutable',
    })
  },
})
