/** Endpoints of the service itself: its name and version, and its OpenAPI document. */
import { Type } from '@sinclair/typebox'
import type { Endpoint, Endpoints } from '../declaration.js'

const Service = Type.Object(
  {
    object: Type.Literal('service'),
    name: Type.String(),
    version: Type.String(),
    limits: Type.Object({
      fileBytes: Type.Integer({ description: 'Maximum size of a file that is sent, in bytes.' }),
    }),
    urls: Type.Object({ openapi: Type.String(), docs: Type.String() }),
  },
  { $id: 'Service' },
)

/** Declares the API's own operations. */
export function serviceEndpoints(
  config: { name: string; version: string; fileLimitBytes: number },
  document: () => object,
): Endpoints {
  const getService: Endpoint = {
    method: 'GET',
    path: '/v1',
    summary: 'Get the name, version and limits of the service',
    section: 'Service',
    needs: 'public',
    returns: Service,
    handle: ({ request }: { request: { baseUrl: string } }) => ({
      object: 'service',
      name: config.name,
      version: config.version,
      limits: { fileBytes: config.fileLimitBytes },
      urls: { openapi: `${request.baseUrl}/v1/openapi.json`, docs: `${request.baseUrl}/docs` },
    }),
  }
  const getOpenApiDocument: Endpoint = {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'Get the OpenAPI document of the API',
    section: 'Service',
    needs: 'public',
    returns: Type.Record(Type.String(), Type.Unknown()),
    // The declarations do not change while the service runs.
    validator: () => [],
    handle: document,
  }
  return { getService, getOpenApiDocument }
}
