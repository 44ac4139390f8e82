local t = tabel.pack(1, 2)
return t
