// What the compiler does not carry over and is read at run time from beside the code: the migrations, and GoBGP's API.
import { cpSync } from 'node:fs';

cpSync('src/store/migrations', 'dist/store/migrations', { recursive: true });
cpSync('src/speakers/gobgp/api.proto', 'dist/speakers/gobgp/api.proto');
