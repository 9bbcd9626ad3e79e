// Serves the OpenAPI description of all calls, generated from their schemas, and Swagger UI to read it.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

/**
 * Registers the OpenAPI description. Must be called before the routes are registered: the plugin @fastify/swagger
 * describes only routes that are registered after it.
 */
export async function handleDescription(
  app: FastifyInstance,
  { publicUrl }: { publicUrl: string },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Partner Benefits Portal', version: '1.0.0' },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: jsonSchemaTransform,
    hideUntagged: true,
  });
  // The option `staticCSP` is not set: it would replace the portal's content security policy with Swagger UI's own
  // policy, which is less strict. `validatorUrl: null` turns off a validator on another website.
  await app.register(swaggerUi, { routePrefix: '/api/docs', uiConfig: { validatorUrl: null } });
  app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger());
}
