module m
contains
attributes(global) subroutine k(a)
end subroutine
subroutine s(n)
  do 10 i = 1, n
    call k<<<n / 256, &
      & 256>>>(a)
!$omp target teams distribute &
!$omp& parallel do map(to: a)
10 continue
  print *, 'it''s & 
  & ! hipFree(p)'
end subroutine s
end module
